import { getRouterParam, type H3Event } from 'h3'
import { HttpError } from './errors'
import type { Reviewer } from '../ports/submission'
import { beginFlow, completeFlow, textOf, type OAuthFlow } from './oauth-flow'
import { isSecure } from './session'

interface OAuthConfig {
  production: boolean
  siteUrl: string | null
  ops: { sessionPassword?: string }
}

type Identity = { ok: true, person: Reviewer } | { ok: false, problem: string, reason: string }

interface Provider {
  key: string
  identify(code: string, redirectUri: string): Promise<Identity>
}

/** What the browser that began to sign in keeps until it comes back. */
interface Pending {
  /** Key of the platform. */
  platform: string
  /** The page that they wanted; for the sign-in page to check. */
  to: string
}

/** The platform that the address names. @throws HttpError 404 when nobody signs in with it */
export function providerOf<P extends Provider>(event: H3Event, providers: readonly P[]): P {
  const key = getRouterParam(event, 'platform')
  const provider = providers.find(each => each.key === key)
  if (!provider) throw new HttpError(404, 'NO_SUCH_SIGN_IN', 'Nobody signs in that way here.')
  return provider
}

/** Ties a new sign-in with a platform to this browser; resolves with its state. */
export function beginOAuth(event: H3Event, platform: string, config: OAuthConfig): Promise<string> {
  return beginFlow(event, flowOf(config), { platform, to: textOf(event, 'to').slice(0, 500) } satisfies Pending)
}

/** Who came back from the platform, and which page they wanted; or why they are not let in. */
export async function finishOAuth(
  event: H3Event, { key, identify }: Provider, config: OAuthConfig,
): Promise<Identity & { to: string }> {
  const pending = await completeFlow<Pending>(event, flowOf(config))
  if (pending?.platform !== key) return {
    ok: false, to: '', problem: 'expired', reason: 'The state is not of this browser, or older than 10 minutes.',
  }
  const { to } = pending
  const code = textOf(event, 'code')
  if (!code) return {
    ok: false, to, problem: 'cancelled',
    reason: `The platform sent no code but ${JSON.stringify(textOf(event, 'error').slice(0, 60))}.`,
  }
  return { to, ...await identify(code, callbackUrl(key, config)) }
}

/**
 * Where a platform sends people back to; registered there, so it is never taken from a request. The start requires the
 * site's URL.
 */
export function callbackUrl(platform: string, { siteUrl }: Pick<OAuthConfig, 'siteUrl'>): string {
  return `${siteUrl}/api/auth/${platform}/callback`
}

/** The sign-in page, which leads on to the page that was wanted, or says what went wrong. */
export function signInPage(query: { to: string, problem?: string }): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  return given.length === 0 ? '/sign-in' : `/sign-in?${new URLSearchParams(given)}`
}

function flowOf({ ops, ...site }: OAuthConfig): OAuthFlow {
  return { name: 'triage-sign-in', password: ops.sessionPassword ?? '', secure: isSecure(site) }
}
