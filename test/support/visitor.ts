import type { Page } from 'playwright-core'
import type { Server } from './server'

/** A visitor with a browser's cookies and an address of their own (behind TRUST_PROXY=1) */
export interface Visitor {
  /** Cookies by name, as last set by the server */
  cookies: Map<string, string>
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  /** Posts as a page of the site does; a string body is sent unchanged. */
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
  delete: (path: string) => Promise<Response>
  signIn: (password: string, name?: string) => Promise<Response>
  /** Gives this visitor's cookies to a browser page. */
  use: (page: Page) => Promise<void>
}

let addresses = 0

export function visit(server: Pick<Server, 'url'>): Visitor {
  const address = `198.18.${++addresses >> 8}.${addresses & 0xFF}`
  const cookies = new Map<string, string>()
  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = {
      'x-forwarded-for': address, 'cookie': [...cookies].map(pair => pair.join('=')).join('; '),
      ...init.headers as Record<string, string>,
    }
    const response = await fetch(new URL(path, server.url), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value && !/max-age=0/i.test(line)) cookies.set(name!, value)
      else cookies.delete(name!)
    }
    return response
  }
  const visitor: Visitor = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body, headers = {}) => send(path, {
      method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        'content-type': 'application/json', 'origin': server.url, 'sec-fetch-site': 'same-origin', ...headers,
      },
    }),
    delete: path => send(path, { method: 'DELETE', headers: {
      'content-type': 'application/json', 'origin': server.url, 'sec-fetch-site': 'same-origin',
    } }),
    signIn: (password, name = 'Ada Lovelace') => visitor.post('/api/auth/sign-in', { name, password }),
    // Pass an https URL, because the prefix in the cookies' names requires it. Chromium sends the cookies to loopback
    // over http too.
    use: page => page.context().addCookies([...cookies].map(([name, value]) => (
      { name, value, url: server.url.replace('http:', 'https:'), httpOnly: true, secure: true, sameSite: 'Lax' }
    ))),
  }
  return visitor
}

/** A production environment that starts without calling any vendor; the caller adds the store. */
export const QUIET_PRODUCTION = {
  NODE_ENV: 'production', TRUST_PROXY: '1',
  CHAT_BOT_TOKEN: 'xoxb-x', CHAT_SIGNING_SECRET: 'secret-secret', CHAT_CHANNEL_ID: 'C0123456789',
  MAIL_API_KEY: 're_x', MAIL_FROM_ADDRESS: 'a@example.com', FORWARD_EMAIL: 'b@example.com',
}

export const PASSWORD = 'correct horse battery'
export const SESSION_PASSWORD = 'a-session-password-of-more-than-32-characters'
export const WITH_PASSWORD = { OPS_PASSWORD: PASSWORD, NUXT_SESSION_PASSWORD: SESSION_PASSWORD }
