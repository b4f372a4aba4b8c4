import { setResponseHeader, type H3Event } from 'h3'
import { addressGroup, clientAddress } from './client-address'
import { HttpError } from './errors'
import { sameSecret } from './guards'
import type { Viewer } from './session'

interface SignInConfig {
  form: { trustedProxies: number }
  ops: { password?: string }
}

/** Counts a client's attempt; resolves with 0, or with the ms to wait. */
interface Counter { take(client: string): Promise<number> }

const MAX_NAME = 80

/** Counts an attempt to sign in. @throws HttpError 429, 503 */
export async function requireAttempt(event: H3Event, { config, signIns }: { config: SignInConfig, signIns: Counter }): Promise<void> {
  const client = addressGroup(clientAddress(event.node.req, config.form.trustedProxies))
  const waitMs = await signIns.take(`sign-in:${client}`).catch(() => {
    throw new HttpError(503, 'STORE_UNAVAILABLE', 'The store does not answer, so nobody can sign in. Try again in a moment.')
  })
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  setResponseHeader(event, 'Retry-After', seconds)
  throw new HttpError(429, 'TOO_MANY_SIGN_INS', `Too many attempts to sign in from your address. Try again in ${seconds} s.`)
}

/** Whoever knows the password, under the name that they give. @throws HttpError 400, 401, 403 */
export function passwordViewer(body: unknown, { ops }: SignInConfig): Viewer {
  const { name, password } = (body ?? {}) as Record<string, unknown>
  if (!ops.password) throw new HttpError(403, 'PASSWORD_OFF', 'Nobody signs in with a password here. Set OPS_PASSWORD to change that.')
  const shown = typeof name === 'string' ? name.trim() : ''
  if (shown === '' || shown.length > MAX_NAME || /\p{C}/u.test(shown)) throw new HttpError(400, 'NAME_REQUIRED', `Give your name, in at most ${MAX_NAME} characters: what you decide is shown with it.`)
  if (typeof password !== 'string' || !sameSecret(password, ops.password)) throw new HttpError(401, 'WRONG_PASSWORD', 'The password is wrong.')
  return { id: `ops:${shown.toLowerCase()}`, name: shown, platform: 'Ops page' }
}
