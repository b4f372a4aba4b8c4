import type { Outcome } from '../../ports/delivery'

/** Maximum pause that is respected, ms; a longer one is a mistake. */
const MAX_PAUSE_MS = 60 * 60 * 1000

/** Maximum length of an error code; no vendor's code is longer. */
const MAX_CODE = 80

export type FailedOutcome = Extract<Outcome, { ok: false }>

interface Refusal {
  /** Short description of the answer. */
  reason: string
  /** Advice for a person; without it the call may succeed later. */
  advice?: string
  content?: boolean
  gone?: boolean
  /** True if the rate limit is the only problem. */
  limited?: boolean
  /** `Retry-After`, or the vendor's equivalent. */
  pause?: unknown
}

/** Outcome of a call that a vendor refused. */
export function refused({ reason, advice, content, gone, limited, pause }: Refusal): FailedOutcome {
  return {
    ok: false, permanent: advice !== undefined, ...content ? { content } : {}, ...gone ? { gone } : {},
    ...limited ? { limited } : {},
    reason: `${reason}.${advice ? ` ${advice}` : ''}`, ...retryAfter(pause),
  }
}

/** Returns an outcome without its value. */
export function done(outcome: Outcome<unknown>): Outcome {
  return outcome.ok ? { ok: true, value: undefined } : outcome
}

/** Returns the value of an outcome, or throws an error that keeps the refusal, as the SDK's adapters expect. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw Object.assign(new Error(outcome.reason), { refusal: outcome })
}

/** A vendor's error code, safe to show; empty if there is none. */
export function codeIn(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[^\w.-]/g, '').slice(0, MAX_CODE) : ''
}

/** Parses `Retry-After`: seconds or a date (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). */
export function retryAfter(value: unknown): { retryAfterMs?: number } {
  const text = String(value ?? '')
  const isSeconds = typeof value === 'number' || /^\d+(?:\.\d+)?$/.test(text)
  const pauseMs = isSeconds ? Number(value) * 1000 : Date.parse(text) - Date.now()
  return pauseMs > 0 ? { retryAfterMs: Math.min(Math.ceil(pauseMs), MAX_PAUSE_MS) } : {}
}

/**
 * Checks that a posted message has an id. Without it the card could never be updated and its buttons would stay for
 * good, so the card is posted again.
 */
export function idIn(label: string, id: unknown): Outcome<string> {
  if (typeof id === 'string' && id !== '') return { ok: true, value: id }
  return refused({ reason: `${label} answered without the id of the message` })
}
