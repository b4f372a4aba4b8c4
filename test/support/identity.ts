import { randomUUID } from 'node:crypto'
import { startProxy, type Proxy, type Recorded } from './proxy'

export const SLACK_APP = {
  OPS_SLACK_TEAM_ID: 'T0TRIAGE', OPS_SLACK_CLIENT_ID: '1234.5678', OPS_SLACK_CLIENT_SECRET: 'slack-client-secret',
}
export const DISCORD_APP = {
  OPS_DISCORD_GUILD_ID: '423456789012345678', OPS_DISCORD_CLIENT_ID: '523456789012345678',
  OPS_DISCORD_CLIENT_SECRET: 'discord-client-secret',
}

/** A person at the platforms' sign-in pages */
export interface Person {
  slack: { team: string, user: string, name: string }
  discord: { id: string, username: string, global_name: string | null, guilds: string[] }
}

export const ADA: Person = {
  slack: { team: SLACK_APP.OPS_SLACK_TEAM_ID, user: 'U0ADA', name: 'Ada Lovelace' },
  discord: {
    id: '623456789012345678', username: 'ada', global_name: 'Ada L.', guilds: ['1', DISCORD_APP.OPS_DISCORD_GUILD_ID],
  },
}

export interface IdentityDouble {
  env: Record<string, string>
  /** Makes the person agree on the platform's page; returns the URL to which the page redirects the browser. */
  agree: (authorizeUrl: string, person?: Person) => URL
  requests: Recorded[]
  fault: Proxy['fault']
  close: () => Promise<void>
}

interface Grant { person: Person, client: string, redirectUri: string, scope: string[] }

const SECRETS: Record<string, string> = {
  [SLACK_APP.OPS_SLACK_CLIENT_ID]: SLACK_APP.OPS_SLACK_CLIENT_SECRET,
  [DISCORD_APP.OPS_DISCORD_CLIENT_ID]: DISCORD_APP.OPS_DISCORD_CLIENT_SECRET,
}

/**
 * Starts doubles of Slack's and Discord's OAuth on loopback. Like the real ones, they accept a code only once, and only
 * from its client with its redirect URI.
 */
export async function startIdentityDouble(): Promise<IdentityDouble> {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, Grant>()
  const proxy = await startProxy()

  function agree(authorizeUrl: string, person = ADA): URL {
    const asked = new URL(authorizeUrl)
    const {
      client_id: client, redirect_uri: redirectUri, scope, state, response_type: type,
    } = Object.fromEntries(asked.searchParams) as Record<string, string>
    if (asked.origin !== proxy.url || !['/openid/connect/authorize', '/oauth2/authorize'].includes(asked.pathname)
      || type !== 'code' || !SECRETS[client!]) throw new Error(`Not an authorize URL: ${authorizeUrl}`)
    const code = randomUUID()
    codes.set(code, { person, client: client!, redirectUri: redirectUri!, scope: scope!.split(' ') })
    return new URL(`${redirectUri}?${new URLSearchParams({ code, state: state! })}`)
  }

  function exchange(body: string): object | null {
    const form = Object.fromEntries(new URLSearchParams(body)) as Record<string, string>
    const grant = codes.get(form.code!)
    codes.delete(form.code!)
    if (!grant || grant.client !== form.client_id || SECRETS[grant.client] !== form.client_secret
      || grant.redirectUri !== form.redirect_uri || form.grant_type !== 'authorization_code') return null
    const token = randomUUID()
    tokens.set(token, grant)
    return { ok: true, access_token: token, token_type: 'Bearer' }
  }

  /** Returns the profile for a token that was granted the scope. */
  function profile({ headers }: Recorded, scope: string, show: (person: Person) => unknown): object {
    const grant = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    return grant?.scope.includes(scope)
      ? answer(200, show(grant.person))
      : answer(401, { message: '401: Unauthorized' })
  }

  const redirect = (path: string) => ({ status: 302, headers: { location: agree(proxy.url + path).href } })
  const answer = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })
  const routes: Record<string, (request: Recorded) => object> = {
    // Everybody who opens this page agrees at once, and is Ada.
    'GET /openid/connect/authorize': ({ path }) => redirect(path),
    'GET /oauth2/authorize': ({ path }) => redirect(path),
    'POST /api/openid.connect.token': ({ body }) => answer(200, exchange(body) ?? { ok: false, error: 'invalid_code' }),
    'GET /api/openid.connect.userInfo': request => profile(request, 'profile', ({ slack }) => ({
      'ok': true, 'sub': slack.user, 'https://slack.com/user_id': slack.user, 'https://slack.com/team_id': slack.team,
      'name': slack.name,
    })),
    'POST /api/v10/oauth2/token': ({ body }) => {
      const token = exchange(body)
      return token ? answer(200, token) : answer(400, { error: 'invalid_grant' })
    },
    'GET /api/v10/users/@me': request => profile(request, 'identify', ({ discord: { guilds, ...user } }) => user),
    'GET /api/v10/users/@me/guilds': request => profile(
      request, 'guilds', ({ discord }) => discord.guilds.map(id => ({ id, name: `Server ${id}` })),
    ),
  }
  const respond: Proxy['fault'] = request => (routes[`${request.method} ${request.path.replace(/\?.*/, '')}`]?.(request)
    ?? answer(404, { error: 'no_such_route' })) as ReturnType<Proxy['fault']>

  const double: IdentityDouble = {
    env: { ...SLACK_APP, ...DISCORD_APP, SLACK_API_URL: `${proxy.url}/api/`, DISCORD_API_URL: `${proxy.url}/api/v10` },
    agree, requests: proxy.requests, fault: () => undefined, close: proxy.close,
  }
  proxy.fault = request => double.fault(request) ?? respond(request)
  return double
}
