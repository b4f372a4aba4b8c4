import type { Mailer } from '../../ports/delivery'

/**
 * Sends through `second` what `first` has given up, to those recipients who did not get it. Skips emails that may have
 * arrived.
 */
export function createFallback(first: Mailer, second: Mailer): Mailer {
  return {
    close: () => first.close?.(),
    async send(email, idempotencyKey, isGivenUp = ({ permanent }) => permanent) {
      const outcome = await first.send(email, idempotencyKey, isGivenUp)
      if (outcome.ok || outcome.busy || outcome.mayHaveArrived || !isGivenUp(outcome)) return outcome
      const { accepted = [], reason } = outcome
      const left = [...email.to, ...email.cc ?? [], ...email.bcc ?? []].filter(address => !accepted.includes(address))
      const rest = { ...email, to: left, cc: undefined, bcc: undefined }
      const again = await second.send(accepted.length > 0 ? rest : email, idempotencyKey)
      if (again.ok) return again
      return { ...outcome, ...again, reason: `${reason} ${again.reason}`, ...outcome.accepted && { accepted } }
    },
  }
}
