import { deleteCookie, getCookie, setResponseHeader, updateSession, useSession, type H3Event } from 'h3'
import { sameSecret } from '../../../shared/same-secret'
import type { Limiter } from '../../ports/limiter'
import type { Person } from '../../ports/submission'
import { StoreUnavailable } from '../../domain/errors'
import { addressGroup, clientAddress } from '../request'
import { HttpError } from '../errors'

/** Configuration of this site and of the access to its pages */
export interface SiteConfig {
  production: boolean
  siteUrl: string | null
  /** `waysIn`: the variables of all ways to sign in, for people. */
  ops: { canSignIn: boolean, waysIn: string, password?: string, sessionPassword?: string }
}

const LIFETIME_S = 12 * 60 * 60
const MAX_NAME = 80

/** True if cookies must be secure: browsers then never send them over plain http, which only local development uses. */
export const isSecure = (
  { production, siteUrl }: Pick<SiteConfig, 'production' | 'siteUrl'>,
) => production || siteUrl?.startsWith('https:') === true

/**
 * Encrypted cookie; SameSite=Lax, because people come back from other sites with it. With the prefix `__Host-`,
 * browsers accept a secure cookie only from this host, so no other subdomain can plant one.
 */
export function sealedCookie(
  { name, password, maxAgeS, secure }: { name: string, password: string, maxAgeS: number, secure: boolean },
) {
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: maxAgeS } as const
  return { name: secure ? `__Host-${name}` : name, password, maxAge: maxAgeS, sessionHeader: false, cookie } as const
}

/** Returns the user of the session cookie; null if it is absent, forged or older than 12 hours. */
export async function readSession(event: H3Event, config: SiteConfig): Promise<Person | null> {
  const session = sessionOf(config)
  // `useSession` would start a session for everybody who has none.
  if (!getCookie(event, session.name)) return null
  const { user } = (await useSession<{ user?: Person }>(event, session)).data
  return user ?? null
}

export async function startSession(
  event: H3Event, { id, name, platform, names }: Person, config: SiteConfig,
): Promise<void> {
  await beginSealed(event, sessionOf(config), { user: { id, name, platform, names } })
}

/** Encrypts data into a new cookie. Ignores an earlier cookie, even its age, which h3 would read again. */
export async function beginSealed(
  event: H3Event, cookie: ReturnType<typeof sealedCookie>, data: object,
): Promise<void> {
  const session = { id: crypto.randomUUID(), createdAt: Date.now(), data }
  event.context.sessions = { ...event.context.sessions, [cookie.name]: session }
  await updateSession(event, cookie)
}

export function endSession(event: H3Event, config: SiteConfig): void {
  const session = sessionOf(config)
  if (getCookie(event, session.name)) deleteCookie(event, session.name, session.cookie)
}

/** Encrypted with the pages' password, too, so that a new password ends the sessions of the old one */
function sessionOf(config: SiteConfig) {
  const { password = '', sessionPassword = '' } = config.ops
  return sealedCookie({
    name: 'triage-session', password: `${sessionPassword}${password}`, maxAgeS: LIFETIME_S, secure: isSecure(config),
  })
}

/** Counts a sign-in attempt. @throws HttpError 429, 503 */
export async function requireAttempt(
  event: H3Event, { config, signIns }: { config: { form: { trustedProxies: number } }, signIns: Limiter },
): Promise<void> {
  const client = addressGroup(clientAddress(event.node.req, config.form.trustedProxies))
  const waitMs = await signIns.take(`sign-in:${client}`).catch((error) => {
    throw new StoreUnavailable(error, 'The store does not answer, so nobody can sign in. Try again in a moment.')
  })
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  setResponseHeader(event, 'Retry-After', seconds)
  throw new HttpError(429, 'TOO_MANY_SIGN_INS',
    `Too many attempts to sign in from your address. Try again in ${seconds} s.`)
}

/**
 * Checks the password; returns the person under the name that they entered.
 *
 * @param slowDown waits while there are many guesses
 * @throws HttpError 400, 401, 403, and as `slowDown` does
 */
export async function passwordViewer(
  body: unknown, { ops }: SiteConfig, slowDown: (isRight: boolean) => Promise<void>,
): Promise<Person> {
  const { name, password } = (body ?? {}) as Record<string, unknown>
  if (!ops.password) {
    throw new HttpError(403, 'PASSWORD_OFF', 'Sign-in with a password is off. Set OPS_PASSWORD to switch it on.')
  }
  const displayName = typeof name === 'string' ? name.trim() : ''
  if (displayName === '' || displayName.length > MAX_NAME || /\p{C}/u.test(displayName)) {
    throw new HttpError(
      400, 'NAME_REQUIRED', `Give your name, in at most ${MAX_NAME} characters. It is shown with your decisions.`,
    )
  }
  const isRight = typeof password === 'string' && sameSecret(password, ops.password)
  await slowDown(isRight)
  if (!isRight) throw new HttpError(401, 'WRONG_PASSWORD', 'The password is wrong.')
  const id = `ops:${displayName.toLowerCase()}`
  return { id, name: displayName, platform: 'Ops page', names: [id] }
}
