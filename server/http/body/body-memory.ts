import { HttpError } from '../errors'

/** Max size of small bodies, bytes: most forms, and clicks. Larger bodies cannot use the memory of small ones. */
const SMALL_BYTES = 64 * 1024

/** Share of the memory for small bodies. One client gets the same share of each pool. */
const QUARTER = 1 / 4

/** Time after which an incomplete body may have to make room for others, ms */
const LATE_MS = 1000

/** Limits the memory of all bodies, over all routes, and refuses requests before it runs out */
export class BodyMemory {
  private readonly small: Pool
  private readonly large: Pool

  /**
   * @param bytes limit of all bodies together, from their first byte until their request is answered
   * @param largest max size of one body; each client may use at least this much
   */
  constructor(bytes: number, largest: number) {
    this.small = new Pool(bytes * QUARTER, Math.max(bytes * QUARTER * QUARTER, SMALL_BYTES))
    this.large = new Pool(bytes * (1 - QUARTER), Math.max(bytes * QUARTER, largest))
  }

  /** @param refuse ends the body early, to make room; absent if that is not possible */
  open(client: string, refuse?: (error: HttpError) => void): HeldBody {
    return new HeldBody(client, bytes => bytes > SMALL_BYTES ? this.large : this.small, refuse)
  }
}

/** Memory of one body. */
export class HeldBody {
  bytes = 0
  private pool: Pool | undefined
  private readonly openedAt = performance.now()

  constructor(
    readonly client: string, private readonly poolFor: (bytes: number) => Pool,
    private refuse?: (error: HttpError) => void,
  ) {}

  /** @throws HttpError 429, 503 if there is no room; even then the bytes count until `release` */
  resize(bytes: number): void {
    this.pool?.remove(this)
    this.bytes = bytes
    this.pool = this.poolFor(bytes)
    this.pool.add(this)
  }

  /** Marks the body as complete: it keeps its memory from now on. */
  complete(): void {
    this.refuse = undefined
  }

  release(): void {
    this.pool?.remove(this)
    this.pool = undefined
  }

  /** Bytes × ms. */
  get weight(): number {
    return this.bytes * (performance.now() - this.openedAt)
  }

  get isLate(): boolean {
    return this.refuse !== undefined && performance.now() - this.openedAt > LATE_MS
  }

  /** Releases the memory of a late body. */
  giveWay(error: HttpError): void {
    this.release()
    this.refuse?.(error)
  }
}

/** Bodies of one size class */
class Pool {
  private readonly bodies = new Set<HeldBody>()
  private readonly bytesByClient = new Map<string, number>()
  private totalBytes = 0

  /** @param share limit of one client, bytes */
  constructor(private readonly bytes: number, private readonly share: number) {}

  remove(body: HeldBody): void {
    if (this.bodies.delete(body)) this.count(body.client, -body.bytes)
  }

  /** @throws HttpError 429, 503 */
  add(body: HeldBody): void {
    this.bodies.add(body)
    this.count(body.client, body.bytes)
    for (let error = this.checkLimits(body); error; error = this.checkLimits(body)) {
      const heaviest = this.findHeaviest(error.status === 429 ? body.client : undefined)
      if (!heaviest || heaviest === body) throw error
      heaviest.giveWay(error)
    }
  }

  private count(client: string, bytes: number): void {
    this.totalBytes += bytes
    const clientBytes = (this.bytesByClient.get(client) ?? 0) + bytes
    if (clientBytes > 0) this.bytesByClient.set(client, clientBytes)
    else this.bytesByClient.delete(client)
  }

  private checkLimits({ client }: HeldBody): HttpError | null {
    if ((this.bytesByClient.get(client) ?? 0) > this.share) return new HttpError(
      429, 'TOO_MUCH_AT_ONCE',
      'Too many requests from your address are being read at once. Wait for some answers, then send the rest.',
    )
    if (this.totalBytes > Math.max(this.bytes, this.share)) return new HttpError(
      503, 'TOO_MUCH_AT_ONCE', 'Too many requests are being read at once. Nothing was saved; send it again in a moment.',
    )
    return null
  }

  /** Finds the client with the heaviest late bodies in total, and returns the heaviest of them. */
  private findHeaviest(client?: string): HeldBody | undefined {
    const lateBodies = [...this.bodies].filter(body => body.isLate && (client === undefined || body.client === client))
    const weights = new Map<string, number>()
    for (const { client, weight } of lateBodies) weights.set(client, (weights.get(client) ?? 0) + weight)
    return lateBodies.toSorted((a, b) => weights.get(b.client)! - weights.get(a.client)! || b.weight - a.weight)[0]
  }
}

/** Max body of all routes except forms, bytes: a decision may contain the largest form, edited */
export const LARGEST_BODY = 4 * 1024 * 1024

export interface BodyLimits {
  memory: BodyMemory
  /** Memory for bodies with files. */
  uploads: BodyMemory
  /** Max time for a body to arrive, ms */
  timeoutMs: number
  /** Number of our own proxies in front, whose X-Forwarded-For is trusted */
  trustedProxies: number
}

/** @param advice remedy other than sending less */
export function bodyTooLarge(maxBytes: number, advice = ''): HttpError {
  return new HttpError(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Send less${advice}.`)
}

/** Advice for operators who want to accept larger forms */
export const RAISE_FORM_LIMIT = ', or raise MAX_BODY_BYTES'

/** True if the sender left before the body was read. New listeners would be too late for the stream's events. */
export function hasLeft({ destroyed, readableEnded }: { destroyed: boolean, readableEnded: boolean }): boolean {
  return destroyed && !readableEnded
}

export function incomplete(): HttpError {
  return new HttpError(400, 'BODY_INCOMPLETE', 'The connection closed before the whole body arrived.')
}

export function tooSlow(timeoutMs: number): HttpError {
  return new HttpError(408, 'BODY_TOO_SLOW', `The body did not arrive within ${timeoutMs / 1000} s. Send it again.`)
}
