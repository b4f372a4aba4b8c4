import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { slackVerifier } from '../../../../server/platforms/slack/workspaces'

const SECRET = 'a signing secret'
const BODY = 'payload=%7B%22name%22%3A%22Zoë%22%7D'
const now = () => Math.floor(Date.now() / 1000)
const sign = (
  timestamp: string | number, body = BODY, secret = SECRET,
) => `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`

function verifies(headers: Record<string, string>, body = BODY): boolean {
  return slackVerifier(SECRET)(new Request('https://forms.example.com', { headers }), body)
}

function signedHeaders(timestamp: string | number, signature = sign(timestamp)): Record<string, string> {
  return { 'x-slack-request-timestamp': String(timestamp), 'x-slack-signature': signature }
}

test.each([0, -299, 299])('a true signature %i s away from now passes', (skew) => {
  expect(verifies(signedHeaders(now() + skew))).toBe(true)
})

test.each([
  ['301 s old', () => signedHeaders(now() - 302)],
  ['301 s ahead', () => signedHeaders(now() + 302)],
  ['of another secret', () => signedHeaders(now(), sign(now(), BODY, 'another secret'))],
  ['over another body', () => signedHeaders(now(), sign(now(), `${BODY} `))],
  ['over another timestamp', () => signedHeaders(now(), sign(now() - 1))],
  ['without its version', () => signedHeaders(now(), sign(now()).slice(3))],
  ['cut short', () => signedHeaders(now(), sign(now()).slice(0, -2))],
  ['in capitals', () => signedHeaders(now(), sign(now()).toUpperCase())],
  ['of other characters', () => signedHeaders(now(), `v0=${'é'.repeat(64)}`)],
  ['with no timestamp', () => ({ 'x-slack-signature': sign('') })],
  ['with a timestamp that is no number', () => signedHeaders('soon')],
  ['with an endless timestamp', () => signedHeaders('Infinity')],
  ['that is missing', () => ({ 'x-slack-request-timestamp': String(now()) })],
])('a signature %s is refused', (_, headers) => expect(verifies(headers())).toBe(false))
