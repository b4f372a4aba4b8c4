import type { HttpClient } from '../../ports/http'
import type { IdentityProvider } from '../../ports/identity'
import { notAMember, oauthSignIn, profileText, type Client } from '../shared/oauth'

interface SlackIdentityOptions extends Client {
  /** The only workspace whose members may sign in. */
  teamId: string
  /** Base URL of the Web API. */
  apiUrl?: string
}

/** Sign in with Slack, an OpenID Connect flow: https://docs.slack.dev/authentication/sign-in-with-slack */
export function createSlackIdentity(
  { teamId, apiUrl = 'https://slack.com/api', ...client }: SlackIdentityOptions, http: HttpClient,
): IdentityProvider {
  const api = apiUrl.replace(/(?<!\/)\/*$/, '')
  return oauthSignIn({
    key: 'slack', label: 'Slack', client,
    page: new URL('/openid/connect/authorize', api), query: { scope: 'openid profile', team: teamId },
    tokenUrl: `${api}/openid.connect.token`,
    async whoIs(read) {
      const profile = await read(`${api}/openid.connect.userInfo`)
      // `team` above only preselects: people may sign in with any of their workspaces.
      const team = profileText(profile, 'https://slack.com/team_id')
      if (team !== teamId) {
        return notAMember(`Slack: sign-in from the workspace ${team}, but OPS_SLACK_TEAM_ID is another.`)
      }
      const [id, name] = [profileText(profile, 'https://slack.com/user_id'), profileText(profile, 'name', 'given_name', 'sub')]
      return { ok: true, person: { id, name, platform: 'Slack', names: [`slack:${id}`, `slack:${team}:${id}`] } }
    },
  }, http)
}
