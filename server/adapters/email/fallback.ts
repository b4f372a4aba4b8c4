import type { Mailer } from '../../ports/delivery'

/** Sends by `second` what `first` has given up, but never what may have arrived. */
export function withFallback(first: Mailer, second: Mailer): Mailer {
  return {
    async send(email, key, attempt = {}) {
      const outcome = await first.send(email, key, attempt)
      if (outcome.ok || outcome.busy || outcome.isUncertain || attempt.isUncertain) return outcome
      return outcome.permanent || attempt.isLast ? second.send(email, key, attempt) : outcome
    },
  }
}
