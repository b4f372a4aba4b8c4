import { randomBytes } from 'node:crypto'
import { deploy, type Deployment } from './deployment'
import { BOT_TOKEN, OAUTH_APP, type Slack } from './slack'
import { PASSWORD, visit, WITH_PASSWORD, type Visitor } from './visitor'

/** The workspace of CHAT_BOT_TOKEN */
export const HOME = 'T0HOME0000'
/** The emulated workspace, which installs the app */
export const PARTNER = 'T000000001'

export const ENCRYPTION_KEY = randomBytes(32).toString('base64')

/** A deployment that other workspaces can join. */
export async function deployForWorkspaces(overrides: Record<string, string> = {}): Promise<Deployment> {
  const d = await deploy({
    SLACK_CLIENT_ID: OAUTH_APP.client_id, SLACK_CLIENT_SECRET: OAUTH_APP.client_secret,
    SLACK_ENCRYPTION_KEY: ENCRYPTION_KEY, ...WITH_PASSWORD, TRUST_PROXY: '1', ...overrides,
  })
  atHome(d.slack)
  return d
}

/** Makes CHAT_BOT_TOKEN belong to another workspace than the emulated one, because the emulator has only one. */
export function atHome(slack: Slack): void {
  slack.fault = ({ path, headers }) => path === '/api/auth.test' && headers.authorization === `Bearer ${BOT_TOKEN}`
    ? { status: 200, body: JSON.stringify({ ok: true, team_id: HOME, user_id: slack.botId, bot_id: 'B0HOME' }) }
    : undefined
}

/** Signs in a visitor who may install the app. */
export async function operator({ server }: Deployment): Promise<Visitor> {
  const visitor = visit(server)
  await visitor.signIn(PASSWORD)
  return visitor
}

/** Starts an installation and agrees to it; resolves with the URL to which Slack redirects the browser. */
export async function agreeTo({ slack }: Deployment, visitor: Visitor): Promise<URL> {
  const answer = await visitor.get('/api/slack/install')
  return slack.agree(answer.headers.get('location')!)
}

/** Follows Slack's redirect; resolves with the URL to which the service then redirects the browser. */
export async function comeBack(
  visitor: Visitor, { pathname, search }: { pathname: string, search: string },
): Promise<string | null> {
  return (await visitor.get(pathname + search)).headers.get('location')
}

/** Installs the app in PARTNER. */
export async function install(d: Deployment): Promise<string | null> {
  const visitor = await operator(d)
  return comeBack(visitor, await agreeTo(d, visitor))
}

/** Returns the tokens of all calls of a method with `matches` in their body, in order. */
export function tokensOf({ requests }: Slack, method: string, matches = ''): string[] {
  return requests.filter(({ path, body }) => path === `/api/${method}` && body.includes(matches)).map(({ headers }) => (
    String(headers.authorization).replace('Bearer ', '')
  ))
}
