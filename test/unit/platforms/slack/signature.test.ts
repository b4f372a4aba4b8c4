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

function signed(timestamp: string | number, signature = sign(timestamp)): Record<string, string> {
  return { 'x-slack-request-timestamp': String(timestamp), 'x-slack-signature': signature }
}

test.each([0, -299, 299])('a true signature %i s away from now passes', (skew) => {
  expect(verifies(signed(now() + skew))).toBe(true)
})

test.each([
  ['301 s old', () => signed(now() - 302)],
  ['301 s ahead', () => signed(now() + 302)],
  ['of another secret', () => signed(now(), sign(now(), BODY, 'another secret'))],
  ['over another body', () => signed(now(), sign(now(), `${BODY} `))],
  ['over another timestamp', () => signed(now(), sign(now() - 1))],
  ['without its version', () => signed(now(), sign(now()).slice(3))],
  ['cut short', () => signed(now(), sign(now()).slice(0, -2))],
  ['in capitals', () => signed(now(), sign(now()).toUpperCase())],
  ['of other characters', () => signed(now(), `v0=${'é'.repeat(64)}`)],
  ['with no timestamp', () => ({ 'x-slack-signature': sign('') })],
  ['with a timestamp that is no number', () => signed('soon')],
  ['with an endless timestamp', () => signed('Infinity')],
  ['that is missing', () => ({ 'x-slack-request-timestamp': String(now()) })],
])('a signature %s is refused', (_, headers) => expect(verifies(headers())).toBe(false))
