import { createHmac, timingSafeEqual } from 'node:crypto'

/** Older requests may be replayed (https://docs.slack.dev/authentication/verifying-requests-from-slack), s. */
const MAX_SKEW_S = 300

/**
 * Whether Slack signed a request just now. As the SDK checks it, but at once: Web Crypto imports the key anew for each
 * request and answers from another thread, while somebody waits for their click.
 */
export function slackVerifier(signingSecret: string): (request: Request, body: string) => boolean {
  return ({ headers }, body) => {
    const timestamp = headers.get('x-slack-request-timestamp') ?? ''
    const age = Math.abs(Date.now() / 1000 - Number(timestamp))
    if (!(age <= MAX_SKEW_S)) return false
    const expected = `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`
    const given = headers.get('x-slack-signature') ?? ''
    return given.length === expected.length
      && timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1'))
  }
}
