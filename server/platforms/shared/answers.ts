import type { Outcome } from '../../ports/delivery'

/** A longer pause is somebody's mistake. */
const MAX_PAUSE_MS = 60 * 60 * 1000

/** No vendor's code is longer. */
const MAX_CODE = 80

export type Failure = Extract<Outcome, { ok: false }>

interface Refusal {
  /** What was answered, in a few words. */
  reason: string
  /** What a person has to change; without it the call may pass the next time. */
  advice?: string
  content?: boolean
  gone?: boolean
  /** `Retry-After`, or what the vendor has in its place. */
  pause?: unknown
}

/** What became of a call that a vendor refused. */
export function refused({ reason, advice, content, gone, pause }: Refusal): Failure {
  return {
    ok: false, permanent: advice !== undefined, ...content ? { content } : {}, ...gone ? { gone } : {},
    reason: `${reason}.${advice ? ` ${advice}` : ''}`, ...retryAfter(pause),
  }
}

/** A vendor's name for what went wrong, fit to be shown; empty when it has none. */
export function codeIn(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[^\w.-]/g, '').slice(0, MAX_CODE) : ''
}

/**
 * What a vendor says about when to come again: seconds or an HTTP date
 * (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after).
 */
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
  const isId = typeof id === 'string' && id !== ''
  return isId
    ? { ok: true, value: id }
    : { ok: false, permanent: false, reason: `${label} answered without the id of the message.` }
}
