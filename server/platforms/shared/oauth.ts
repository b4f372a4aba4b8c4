import type { HttpClient, HttpRequest } from '../../ports/http'
import type { Identity, IdentityProvider } from '../../ports/identity'

/** Timeout of a single call to the platform, ms. */
const TIMEOUT_MS = 6000

export interface Client {
  clientId: string
  clientSecret: string
}

type Json = Record<string, unknown>

interface OAuthSignIn extends Pick<IdentityProvider, 'key' | 'label'> {
  client: Client
  /** Page on which a person agrees to sign in, and its query. */
  page: URL
  query: Record<string, string>
  tokenUrl: string
  /** @param read reads a URL with the person's own token @throws Error */
  whoIs: (read: (url: string) => Promise<unknown>) => Promise<Identity>
}

export function oauthSignIn(
  { key, label, client, page, query, tokenUrl, whoIs }: OAuthSignIn, http: HttpClient,
): IdentityProvider {
  return {
    key, label,
    authorizeUrl(redirectUri, state) {
      const params = { response_type: 'code', client_id: client.clientId, ...query, redirect_uri: redirectUri, state }
      return `${page}?${new URLSearchParams(params)}`
    },
    async identify(code, redirectUri) {
      try {
        const authorization = `Bearer ${await exchangeCode(tokenUrl, client, code, redirectUri, http)}`
        return await whoIs(url => call({ method: 'GET', url, headers: { authorization } }, http))
      }
      catch (error) {
        return { ok: false, problem: 'unavailable', reason: `${label}: ${(error as Error).message}.` }
      }
    },
  }
}

/** @throws Error */
async function exchangeCode(
  url: string, { clientId, clientSecret }: Client, code: string, redirectUri: string,
  http: HttpClient,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code', client_id: clientId, client_secret: clientSecret, code, redirect_uri: redirectUri,
  })
  const { access_token: token } = await call({
    method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: String(body),
  }, http) as Json
  if (typeof token !== 'string') throw new Error('the answer has no access_token')
  return token
}

export const notAMember = (reason: string): Identity => ({ ok: false, problem: 'not-a-member', reason })

/** Reads a text of the profile without trusting that the profile has the documented shape. */
export function profileText(profile: unknown, ...keys: string[]): string {
  const text = keys.map(key => (profile as Json | null)?.[key]).find(value => typeof value === 'string'
    && value.trim() !== '')
  if (text === undefined) throw new Error(`the profile has no ${keys.join(' or ')}`)
  return (text as string).trim().slice(0, 80)
}

async function call(request: Omit<HttpRequest, 'timeoutMs'>, http: HttpClient): Promise<unknown> {
  const { pathname } = new URL(request.url)
  const { status, json } = await http({ ...request, timeoutMs: TIMEOUT_MS }).catch(() => {
    throw new Error(`${pathname} cannot be reached, or did not answer within ${TIMEOUT_MS / 1000} s`)
  })
  const { ok, error } = (json ?? {}) as Json
  // Slack refuses with 200 and `ok: false`, OAuth servers with 400 and a code such as `invalid_client`.
  if (status === 200 && json && ok !== false) return json
  throw new Error(`${pathname} answered ${status}${typeof error === 'string' && /^\w{1,60}$/.test(error) ? ` ${error}` : ''}`)
}
