import { randomBytes } from 'node:crypto'
import { deleteCookie, getQuery, getRouterParam, setResponseHeader, useSession, type H3Event } from 'h3'
import { sameSecret } from '../../../shared/same-secret'
import type { Identity, IdentityProvider } from '../../ports/identity'
import { HttpError } from '../errors'
import { platformAt } from '../platform'
import { beginSealed, isSecure, sealedCookie, type SiteConfig } from './session'

/** An authorization at another site that begins and ends here, in the same browser. */
interface Flow {
  /** Name of the cookie that stores the flow's data */
  name: string
  /** Password that encrypts the cookie */
  password: string
}

/** Max time on the other site's page, ms */
const FLOW_MS = 10 * 60 * 1000

/** Data of every flow: its state, and its start, epoch ms */
interface FlowData { state: string, at: number }

/** Further data of a sign-in: the platform's key and the requested page */
interface SignIn { platform: string, to: string }

/** Returns the sign-in provider that the path names. @throws HttpError 404 if there is none */
export function providerOf(event: H3Event, providers: readonly IdentityProvider[]): IdentityProvider {
  const key = getRouterParam(event, 'platform')
  const provider = providers.find(each => each.key === key)
  if (!provider) throw new HttpError(404, 'NO_SUCH_SIGN_IN', 'This way to sign in is not set up here.')
  return provider
}

/** Binds a new sign-in with a platform to this browser; resolves with its state. */
export function beginOAuth(event: H3Event, platform: string, config: SiteConfig): Promise<string> {
  const signIn: SignIn = { platform, to: textOf(event, 'to').slice(0, 500) }
  return beginFlow(event, signInFlow(config), config, signIn)
}

/** Returns the person who came back from the platform, or the reason to refuse them; and the requested page. */
export async function finishOAuth(
  event: H3Event, { key, identify }: IdentityProvider, config: SiteConfig,
): Promise<(Identity | { ok: false, problem: string, reason: string }) & { to: string }> {
  const flowData = await completeFlow<SignIn>(event, signInFlow(config), config)
  if (flowData?.platform !== key) return {
    ok: false, to: '', problem: 'expired', reason: 'The state belongs to another browser, or is older than 10 minutes.',
  }
  const { to } = flowData
  const code = textOf(event, 'code')
  if (!code) return {
    ok: false, to, problem: 'cancelled',
    reason: `The platform sent no code but ${JSON.stringify(textOf(event, 'error').slice(0, 60))}.`,
  }
  return { to, ...await identify(code, callbackUrl(key, config)) }
}

/** Address to which a platform sends people back. It is registered there, so it never comes from a request. */
export function callbackUrl(platform: string, { siteUrl }: Pick<SiteConfig, 'siteUrl'>): string {
  return `${siteUrl}/api/auth/${platform}/callback`
}

/** Address of the sign-in page, which opens the requested page or shows the problem */
export function signInPage(query: { to: string, problem?: string }): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== '')
  return parameters.length === 0 ? '/sign-in' : `/sign-in?${new URLSearchParams(parameters)}`
}

interface Install extends Flow {
  finish(code: string): Promise<string | null>
}

interface Platform<I> {
  definition: { key: string, installOff?: string }
  install: I | null
}

/** Returns the installation of the platform in the path. @throws HttpError 404 if nobody may install it */
export function requireInstall<I>(event: H3Event, platformOf: (key: string) => Platform<I> | null) {
  const { definition, install } = platformAt(
    event, platformOf, platform => platform.definition.installOff !== undefined,
  )
  if (!install) throw new HttpError(404, `${definition.key.toUpperCase()}_OAUTH_OFF`, definition.installOff!)
  return { ...install, name: `triage-${definition.key}-install` }
}

/** Binds a new installation to this browser; resolves with its state. */
export function beginInstall(event: H3Event, install: Install, config: SiteConfig): Promise<string> {
  return beginFlow(event, install, config)
}

/** Returns the page that shows the result. Ignores the code of an installation that another browser began. */
export async function finishInstall(event: H3Event, install: Install, config: SiteConfig): Promise<string> {
  setResponseHeader(event, 'Cache-Control', 'no-store')
  if (!await completeFlow(event, install, config)) return '/setup?install=expired'
  const code = textOf(event, 'code')
  if (!code) return '/setup?install=cancelled'
  const workspace = await install.finish(code)
  return workspace ? `/setup?${new URLSearchParams({ install: 'done', workspace })}` : '/setup?install=failed'
}

async function beginFlow(event: H3Event, flow: Flow, config: SiteConfig, data: object = {}): Promise<string> {
  const state = randomBytes(32).toString('base64url')
  await beginSealed(event, cookieOf(flow, config), { ...data, state, at: Date.now() } satisfies FlowData)
  return state
}

/**
 * Returns the flow's data, once. Null if this browser began no flow, was too slow, or has another state: a flow can
 * only end in the browser that began it.
 */
async function completeFlow<Data extends object>(
  event: H3Event, flow: Flow, config: SiteConfig,
): Promise<Data & FlowData | null> {
  const session = cookieOf(flow, config)
  const { data: flowData } = await useSession<Data & FlowData>(event, session)
  deleteCookie(event, session.name, session.cookie)
  const isSameState = typeof flowData.state === 'string' && sameSecret(textOf(event, 'state'), flowData.state)
  return isSameState && Date.now() - flowData.at < FLOW_MS ? { ...flowData } as Data & FlowData : null
}

/** Returns a query parameter; empty if it is absent or repeated. */
function textOf(event: H3Event, name: string): string {
  const value = getQuery(event)[name]
  return typeof value === 'string' ? value : ''
}

function signInFlow({ ops }: SiteConfig): Flow {
  return { name: 'triage-sign-in', password: ops.sessionPassword ?? '' }
}

function cookieOf({ name, password }: Flow, config: SiteConfig) {
  return sealedCookie({ name, password, secure: isSecure(config), maxAgeS: FLOW_MS / 1000 })
}
