import { type Deliver, DeliveryFailed } from './events'

/** Refusals of the event itself. Others (401, 404, 429 …) speak of the route or its settings, which may be put right in time. */
const PERMANENT: readonly number[] = [400, 410, 413, 415, 422]

/**
 * Delivers by POST to our own webhook route, as the SDK's adapter expects it: the header carries the bot's token.
 *
 * @param webhookUrl from the configuration, never from a request; redirects are not followed, since the token would travel along
 * @param timeoutMs bound of one try; longer than a handler takes, or de-duplication has to stop the next one
 */
export function createHttpForward(webhookUrl: string, botToken: string, timeoutMs: number): Deliver {
  return async (event, signal) => {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'x-discord-gateway-token': botToken },
      body: JSON.stringify(event),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...signal ? [signal] : []]),
    }).catch((error: Error) => {
      throw new DeliveryFailed(error.name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : 'no connection')
    })
    await response.body?.cancel()
    const { status, headers, ok } = response
    if (ok) return
    const advice = status >= 300 && status < 400 ? ': the site URL leads elsewhere, check NUXT_PUBLIC_SITE_URL' : ''
    throw new DeliveryFailed(`HTTP ${status}${advice}`, { permanent: PERMANENT.includes(status), retryAfterMs: (Number(headers.get('retry-after')) || 0) * 1000 })
  }
}
