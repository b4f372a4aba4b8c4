import type { Identity } from '../../ports/identity'

/** A single call to the platform that takes longer has failed, ms. */
const TIMEOUT_MS = 6000

export interface Client {
  clientId: string
  clientSecret: string
}

type Json = Record<string, unknown>

/** The page on which a person agrees. */
export function authorizeUrl(page: URL, { clientId }: Client, rest: Record<string, string>): string {
  page.search = String(new URLSearchParams({ response_type: 'code', client_id: clientId, ...rest }))
  return page.href
}

/** Trades the code for a token that reads the person's own profile. @throws Error */
export async function exchangeCode(
  url: string, { clientId, clientSecret }: Client, code: string, redirectUri: string,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code', client_id: clientId, client_secret: clientSecret, code, redirect_uri: redirectUri,
  })
  const { access_token: token } = await call(url, { method: 'POST', body }) as Json
  if (typeof token !== 'string') throw new Error('the answer has no access_token')
  return token
}

/** Reads something with the token. @throws Error */
export function read(url: string, token: string): Promise<unknown> {
  return call(url, { headers: { authorization: `Bearer ${token}` } })
}

/** Turns whatever went wrong on the way into a line for the log. */
export async function identified(platform: string, identify: () => Promise<Identity>): Promise<Identity> {
  try {
    return await identify()
  }
  catch (error) {
    return { ok: false, problem: 'unavailable', reason: `${platform}: ${(error as Error).message}.` }
  }
}

export const notAMember = (reason: string): Identity => ({ ok: false, problem: 'not-a-member', reason })

/** Text of the profile; a platform's answer is not trusted to have the shape that its documentation shows. */
export function text(profile: unknown, ...keys: string[]): string {
  const found = keys.map(key => (profile as Json | null)?.[key]).find(value => typeof value === 'string'
    && value.trim() !== '')
  if (found === undefined) throw new Error(`the profile has no ${keys.join(' or ')}`)
  return (found as string).trim().slice(0, 80)
}

async function call(url: string, init: RequestInit): Promise<unknown> {
  const { pathname } = new URL(url)
  const response = await fetch(
    url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) },
  ).catch(() => {
    throw new Error(`${pathname} cannot be reached, or did not answer within ${TIMEOUT_MS / 1000} s`)
  })
  const answer: unknown = await response.json().catch(() => null)
  const { ok, error } = (answer ?? {}) as Json
  // Slack refuses with 200 and `ok: false`, OAuth servers with 400 and a code such as `invalid_client`.
  if (response.ok && ok !== false && answer !== null) return answer
  throw new Error(`${pathname} answered ${response.status}${typeof error === 'string' && /^\w{1,60}$/.test(error) ? ` ${error}` : ''}`)
}
