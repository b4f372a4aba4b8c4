import type { Outcome } from '../../ports/delivery'

/** A longer pause is somebody's mistake. */
const MAX_PAUSE_MS = 60 * 60 * 1000

/** No vendor's code is longer. */
const MAX_CODE = 80

export type FailedOutcome = Extract<Outcome, { ok: false }>

interface Refusal {
  /** What was answered, in a few words. */
  reason: string
  /** What a person has to change; without it the call may pass the next time. */
  advice?: string
  content?: boolean
  gone?: boolean
  /** Too much came at once, and nothing else is wrong. */
  limited?: boolean
  /** `Retry-After`, or what the vendor has in its place. */
  pause?: unknown
}

/** What became of a call that a vendor refused. */
export function refused({ reason, advice, content, gone, limited, pause }: Refusal): FailedOutcome {
  return {
    ok: false, permanent: advice !== undefined, ...content ? { content } : {}, ...gone ? { gone } : {},
    ...limited ? { limited } : {},
    reason: `${reason}.${advice ? ` ${advice}` : ''}`, ...retryAfter(pause),
  }
}

/** The outcome of a call whose answer says nothing that is needed. */
export function done(outcome: Outcome<unknown>): Outcome {
  return outcome.ok ? { ok: true, value: undefined } : outcome
}

/** The value of an outcome, or an error that keeps the refusal, as adapters of the SDK have it. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw Object.assign(new Error(outcome.reason), { refusal: outcome })
}

/** A vendor's name for what went wrong, fit to be shown; empty when it has none. */
export function codeIn(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[^\w.-]/g, '').slice(0, MAX_CODE) : ''
}

/** When to come again: seconds or a date (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). */
export function retryAfter(value: unknown): { retryAfterMs?: number } {
  const text = String(value ?? '')
  const isSeconds = typeof value === 'number' || /^\d+(?:\.\d+)?$/.test(text)
  const pauseMs = isSeconds ? Number(value) * 1000 : Date.parse(text) - Date.now()
  return pauseMs > 0 ? { retryAfterMs: Math.min(Math.ceil(pauseMs), MAX_PAUSE_MS) } : {}
}

/**
 * The id of a message that was posted. Without it the card could never be updated, and its buttons would stay for good:
 * it is posted again instead.
 */
export function idIn(label: string, id: unknown): Outcome<string> {
  if (typeof id === 'string' && id !== '') return { ok: true, value: id }
  return refused({ reason: `${label} answered without the id of the message` })
}
