import type { HttpClient } from '../../ports/http'
import type { IdentityProvider } from '../../ports/identity'
import { notAMember, oauthSignIn, profileText, type Client } from '../shared/oauth'
import { DISCORD_API } from './api/rest'

interface DiscordIdentityOptions extends Client {
  /** Server whose members may sign in; nobody else may */
  guildId: string
  /** Base URL of the REST API with its version. */
  apiUrl?: string
}

/**
 * Sign in with Discord: https://discord.com/developers/docs/topics/oauth2#authorization-code-grant
 *
 * One page of the server list is enough: it holds 200 servers, the maximum for one person:
 * https://discord.com/developers/docs/resources/user#get-current-user-guilds
 */
export function createDiscordIdentity(
  { guildId, apiUrl = DISCORD_API, ...client }: DiscordIdentityOptions, http: HttpClient,
): IdentityProvider {
  const api = apiUrl.replace(/(?<!\/)\/*$/, '')
  return oauthSignIn({
    key: 'discord', label: 'Discord', client,
    page: new URL('/oauth2/authorize', api), query: { scope: 'identify guilds' }, tokenUrl: `${api}/oauth2/token`,
    async whoIs(read) {
      const [profile, guilds] = await Promise.all(['', '/guilds'].map(path => read(`${api}/users/@me${path}`)))
      const isMember = Array.isArray(guilds) && guilds.some(guild => guild?.id === guildId)
      if (!isMember) return notAMember('Discord: sign-in by somebody outside the server of OPS_DISCORD_GUILD_ID.')
      const name = profileText(profile, 'global_name', 'username')
      const id = profileText(profile, 'id')
      return { ok: true, person: { id, name, platform: 'Discord', names: [`discord:${id}`] } }
    },
  }, http)
}
