import { HttpError } from './errors'

/** Of any route but forms, bytes: a webhook with the card that was clicked, or the largest form, typed again. */
export const LARGEST_BODY = 4 * 1024 * 1024

/** One client's share of the memory. */
const SHARE = 1 / 4

/** Counts what bodies hold, over all routes, and refuses who holds much before memory runs out. */
export class BodyMemory {
  private readonly held = new Map<string, number>()
  private total = 0
  private readonly share: number
  private readonly most: number

  /** @param bytes of all bodies at a time, from their first byte until their request is answered */
  constructor(bytes: number, largestForm: number) {
    // One of the largest may come from anybody.
    this.share = Math.max(bytes * SHARE, LARGEST_BODY, largestForm)
    this.most = Math.max(bytes, this.share)
  }

  /**
   * @param bytes less than 0 to let go of them
   * @throws HttpError 429, 503 when it is too much; it is counted then too
   */
  hold(client: string, bytes: number): void {
    this.total += bytes
    const all = (this.held.get(client) ?? 0) + bytes
    if (all > 0) this.held.set(client, all)
    else this.held.delete(client)
    if (bytes <= 0) return
    if (all > this.share) throw new HttpError(
      429, 'TOO_MUCH_AT_ONCE',
      'Too much is on its way from your address at once. Wait for the answers to some of it, then send the rest.',
    )
    if (this.total > this.most) throw new HttpError(
      503, 'TOO_MUCH_AT_ONCE', 'Too much is on its way here at once. Nothing was taken in; send it again in a moment.',
    )
  }
}

export interface BodyLimits {
  memory: BodyMemory
  /** The same for bodies with files. */
  uploads: BodyMemory
  /** How long a body may take to arrive, ms. */
  timeoutMs: number
  /** Proxies of ours in front, whose X-Forwarded-For is believed. */
  trustedProxies: number
}

export function bodyTooLarge(maxBytes: number): HttpError {
  return new HttpError(
    413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Send less, or raise MAX_BODY_BYTES.`,
  )
}

/** Whether a sender left before anybody read what came: a stream says that once, and not to who listens later. */
export function hasLeft({ destroyed, readableEnded }: { destroyed: boolean, readableEnded: boolean }): boolean {
  return destroyed && !readableEnded
}

export function incomplete(): HttpError {
  return new HttpError(400, 'BODY_INCOMPLETE', 'The connection closed before the whole body arrived.')
}

export function tooSlow(timeoutMs: number): HttpError {
  return new HttpError(408, 'BODY_TOO_SLOW', `The body did not arrive within ${timeoutMs / 1000} s. Send it again.`)
}
