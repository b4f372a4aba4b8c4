import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_S = 5 * 60

/** @param body exact text of the request @param headers by lower-case name @param secrets old and new `whsec_…` */
export function isSigned(body, headers, secrets, now = Date.now() / 1000) {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_S) return false
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    return signatures.some((signature) => {
      const given = Buffer.from(signature)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  })
}
