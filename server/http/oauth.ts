import { randomBytes } from 'node:crypto'
import { deleteCookie, getQuery, getRouterParam, useSession, type H3Event, type SessionConfig } from 'h3'
import { HttpError } from './errors'
import { sameSecret } from './guards'
import { isSecure, type Viewer } from './session'

interface OAuthConfig {
  production: boolean
  siteUrl: string
  ops: { sessionPassword?: string }
}

type Identity = { ok: true, person: Viewer } | { ok: false, problem: string, reason: string }

interface Provider {
  key: string
  identify(code: string, redirectUri: string): Promise<Identity>
}

/** What the browser that began to sign in keeps until it comes back. */
interface Pending {
  state: string
  /** Key of the platform. */
  platform: string
  /** The page that they wanted; for the sign-in page to check. */
  to: string
  /** Epoch ms. */
  at: number
}

/** How long a person may take on the platform's page, ms. */
const OAUTH_MS = 10 * 60 * 1000

/** The platform that the address names. @throws HttpError 404 when nobody signs in with it */
export function providerOf<P extends Provider>(event: H3Event, providers: readonly P[]): P {
  const key = getRouterParam(event, 'platform')
  const provider = providers.find(each => each.key === key)
  if (!provider) throw new HttpError(404, 'NO_SUCH_SIGN_IN', 'Nobody signs in that way here.')
  return provider
}

/** Ties a new sign-in with a platform to this browser; resolves with its state. */
export async function beginOAuth(event: H3Event, platform: string, config: OAuthConfig): Promise<string> {
  const state = randomBytes(32).toString('base64url')
  const session = await useSession<Pending>(event, pendingSession(config))
  await session.update({ state, platform, to: textOf(event, 'to').slice(0, 500), at: Date.now() })
  return state
}

/** Who came back from the platform, and which page they wanted; or why they are not let in. */
export async function finishOAuth(event: H3Event, { key, identify }: Provider, config: OAuthConfig): Promise<Identity & { to: string }> {
  const pending = await takePending(event, key, config)
  if (!pending) return { ok: false, to: '', problem: 'expired', reason: 'The state is not of this browser, or older than 10 minutes.' }
  const { to } = pending
  const code = textOf(event, 'code')
  if (!code) return { ok: false, to, problem: 'cancelled', reason: `The platform sent no code but ${JSON.stringify(textOf(event, 'error').slice(0, 60))}.` }
  return { to, ...await identify(code, callbackUrl(key, config)) }
}

/** Where a platform sends people back to; registered there, so it is never taken from a request. */
export function callbackUrl(platform: string, { siteUrl }: { siteUrl: string }): string {
  return `${siteUrl}/api/auth/${platform}/callback`
}

/** The sign-in page, which leads on to the page that was wanted, or says what went wrong. */
export function signInPage(query: { to: string, problem?: string }): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  return given.length === 0 ? '/sign-in' : `/sign-in?${new URLSearchParams(given)}`
}

/**
 * The sign-in that this browser began with the platform, given out once. Null when it began none, or the state is
 * another's: somebody else's sign-in cannot be finished in this browser, nor this browser's elsewhere.
 */
async function takePending(event: H3Event, platform: string, config: OAuthConfig): Promise<Pending | null> {
  const session = pendingSession(config)
  const { data: pending } = await useSession<Pending>(event, session)
  deleteCookie(event, session.name, session.cookie)
  const matches = pending.platform === platform && sameSecret(textOf(event, 'state'), pending.state)
  return matches && Date.now() - pending.at < OAUTH_MS ? { ...pending } : null
}

/** A parameter of the query; empty when it is absent or repeated. */
function textOf(event: H3Event, name: string): string {
  const value = getQuery(event)[name]
  return typeof value === 'string' ? value : ''
}

/** A sealed cookie for the sign-in routes only. It has to come along when another site sends the browser back, hence lax. */
function pendingSession({ ops, ...site }: OAuthConfig) {
  return {
    name: 'triage-sign-in', password: ops.sessionPassword ?? '', sessionHeader: false,
    cookie: { path: '/api/auth', httpOnly: true, sameSite: 'lax', secure: isSecure(site), maxAge: OAUTH_MS / 1000 },
  } as const satisfies SessionConfig
}
