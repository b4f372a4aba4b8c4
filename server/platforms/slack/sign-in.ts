import type { IdentityProvider } from '../../ports/identity'
import { authorizeUrl, exchangeCode, identified, notAMember, read, text, type Client } from '../shared/oauth'

interface SlackIdentityOptions extends Client {
  /** The only workspace whose people are let in. */
  teamId: string
  /** Base URL of the Web API. */
  apiUrl?: string
}

/** Sign in with Slack, an OpenID Connect flow: https://docs.slack.dev/authentication/sign-in-with-slack */
export function createSlackIdentity({
  teamId, apiUrl = 'https://slack.com/api', ...client
}: SlackIdentityOptions): IdentityProvider {
  const api = apiUrl.replace(/\/*$/, '')
  return {
    key: 'slack',
    label: 'Slack',
    authorizeUrl: (redirectUri, state) => authorizeUrl(new URL('/openid/connect/authorize', api), client, {
      scope: 'openid profile', team: teamId, redirect_uri: redirectUri, state,
    }),
    identify: (code, redirectUri) => identified('Slack', async () => {
      const token = await exchangeCode(`${api}/openid.connect.token`, client, code, redirectUri)
      const profile = await read(`${api}/openid.connect.userInfo`, token)
      // `team` above only preselects: people may sign in with any workspace of theirs.
      const team = text(profile, 'https://slack.com/team_id')
      if (team !== teamId) {
        return notAMember(`Slack: somebody of the workspace ${team} wanted in; OPS_SLACK_TEAM_ID is another.`)
      }
      return { ok: true, person: {
        id: text(profile, 'https://slack.com/user_id'), name: text(profile, 'name', 'given_name', 'sub'),
        platform: 'Slack',
      } }
    }),
  }
}
