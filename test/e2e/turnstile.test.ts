import { beforeEach, expect, it } from 'vitest'
import { cardOf, deploy, sendForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { startProxy } from '../support/proxy'

const API_KEY = 'a-key-for-servers-0123456789'
const SHOP = 'https://shop.example'

const verifier = endAfterAll(await startProxy())
const d = endAfterAll(await deploy({
  FORMS_CONFIG: formsFile({ a: { name: 'A' }, b: { name: 'B' }, c: { name: 'C' } }),
  TURNSTILE_SECRET_KEY: 'turnstile-secret', TURNSTILE_VERIFY_URL: `${verifier.url}/siteverify`, FORM_API_KEY: API_KEY,
  FORM_ALLOWED_ORIGINS: SHOP, TRUST_PROXY: '1',
}))
beforeEach(() => {
  verifier.requests.length = 0
  // Cloudflare accepts a token only once, but repeats its answer for a retry with the same idempotency key.
  const used = new Map<string, string | null>()
  verifier.fault = ({ body }) => {
    const form = new URLSearchParams(body)
    const [token, attempt] = [form.get('response')!, form.get('idempotency_key')]
    const fresh = token.startsWith('good') && (!used.has(token) || (attempt !== null && used.get(token) === attempt))
    if (fresh) used.set(token, attempt)
    return {
      status: 200, body: JSON.stringify({ 'success': fresh, 'error-codes': fresh ? [] : ['timeout-or-duplicate'] }),
    }
  }
})

async function send(fields: Record<string, unknown>, headers: Record<string, string> = { origin: SHOP }, form = '') {
  const before = d.slack.calls('chat.postMessage').length
  const response = await sendForm(
    d.server, { name: 'Ada', ...fields }, { 'x-forwarded-for': '203.0.113.7', ...headers }, form,
  )
  const json = await response.json() as { submissionId: string, error?: string, code?: string }
  await d.server.drain()
  return {
    status: response.status, headers: response.headers, json, cards: d.slack.calls('chat.postMessage').length - before,
  }
}

const token = (value: string) => ({ 'cf-turnstile-response': value })

it('a good token is verified with secret and address, and is not on the card', async () => {
  const { status, json } = await send(token('good-1'))
  expect(status).toBe(200)
  expect(Object.fromEntries(new URLSearchParams(verifier.requests[0]!.body))).toEqual({
    secret: 'turnstile-secret', response: 'good-1', remoteip: '203.0.113.7',
  })
  expect(JSON.stringify((await cardOf(d, json.submissionId)).blocks)).not.toMatch(/turnstile|good-1/i)
})

it.each([
  ['missing', {}], ['refused', token('bad')],
])('a token that is %s is 403 that the website can read, and nothing is posted', async (_, fields) => {
  const { status, json, headers, cards } = await send(fields)
  expect({ status, json, cards }).toEqual({
    status: 403, cards: 0, json: {
      code: 'HUMAN_CHECK_FAILED', error: expect.stringMatching(/turnstile/i), message: json.error,
    },
  })
  expect(headers.get('access-control-allow-origin')).toBe(SHOP)
})

it('a token counts for one form, whatever other forms are sent with it under its Idempotency-Key', async () => {
  const headers = { 'origin': SHOP, 'idempotency-key': 'form-3' }
  const statuses = []
  for (const form of ['', '/a', '/b', '/c']) statuses.push((await send(token('good-5'), headers, form)).status)
  expect(statuses).toEqual([200, 403, 403, 403])
  expect((await send({ ...token('good-5'), name: 'Eve' }, headers)).status).toBe(422)
})

it.each([
  ['answers 500', { status: 500 } as const], ['drops the connection', 'drop' as const],
])('a verifier that %s is 503 with Retry-After, nothing is posted, and the log says why', async (_, fault) => {
  verifier.fault = () => fault
  const { status, json, headers, cards } = await send(token('good-3'))
  expect({ status, json, cards }).toEqual({
    status: 503, cards: 0, json: {
      code: 'HUMAN_CHECK_UNAVAILABLE', error: expect.stringContaining('Nothing was saved'), message: json.error,
    },
  })
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(headers.get('access-control-allow-origin')).toBe(SHOP)
  expect(d.server.output()).toContain('intake.human-check')
})
