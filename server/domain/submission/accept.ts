import type { Form } from '../../ports/form'
import { LimitReached, type Limiter } from '../../ports/limiter'
import type { Sender } from '../../ports/sender'
import { IdempotencyKeyReused, StoreUnavailable, TooManyBytes, TooManyForms } from '../errors'
import { receive, type IntakePorts } from './intake'
import type { IncomingFiles } from './incoming-files'
import { fingerprintOf, idempotencyDigest, screen, type ScreeningPorts } from './screening'
import type { SubmissionFiles } from './submission-files'

export interface AcceptPorts {
  /** Null when everybody may send any number. */
  quota: Quota | null
  screening: ScreeningPorts
  files: Pick<SubmissionFiles, 'incoming'>
  intake: IntakePorts
}

/** A form that was taken. */
interface Accepted {
  id: string
  /** Where the sender's browser wants to go next: unchecked. */
  next?: string
}

/** A form on its way in. */
export interface Arrival {
  /** Takes its files; null when none may come. */
  upload: IncomingFiles | null
  /**
   * Screens the body and stores it. Resolves also for a form that is held because it fell into the honeypot.
   *
   * @throws DomainError of any kind when nothing was stored
   */
  take: (body: Promise<unknown>) => Promise<Accepted>
}

/**
 * Lets a form of a sender in, and counts it once: with the record where one is stored, otherwise by itself. It is
 * counted before it is read where a human check is going to ask somebody else, files may come, or the sender has too
 * many on their way.
 *
 * @throws TooManyForms, StoreUnavailable for a form that must not be read
 */
export async function enter(
  sender: Sender, form: Form, { quota, screening, files, intake }: AcceptPorts,
): Promise<Arrival> {
  const client = sender.group
  quota?.check(client)
  const isCrowded = quota?.enter(client) ?? false
  const upload = sender.hasFiles ? files.incoming(form, client) : null
  const isFirst = isCrowded || upload !== null || (screening.humanCheck !== null && !sender.trusted)
  const uncounted = isFirst ? null : quota
  if (isFirst) await quota?.count(client).catch((error) => {
    quota.leave(client)
    throw error
  })
  const take = async (body: Promise<unknown>) => {
    try {
      const sent = await body
      // Other forms of the client may have used up the window meanwhile. From here on a form costs the store a call.
      uncounted?.check(client)
      const idempotencyKey = idempotencyDigest(sender, form.key)
      const { data, held, next, ...said } = await screen(sent, sender, screening, {
        form, files: upload?.files, attemptKey: idempotencyKey,
      })
      const envelope = upload && upload.files.length > 0 ? { ...said.envelope, files: upload.files } : said.envelope
      const id = await receive(data, form, intake, {
        idempotencyKey, fingerprint: idempotencyKey && fingerprintOf(sender, { data, envelope }),
        client: uncounted ? client : undefined, sender: client, held, id: upload?.id, envelope,
      })
      // It was sent before.
      if (upload && id !== upload.id) await upload.discard()
      return { id, next }
    }
    catch (error) {
      // Where the store does not answer, it may have the submission all the same.
      if (!(error instanceof StoreUnavailable)) await upload?.discard()
      if (error instanceof LimitReached) throw error.megabytes === undefined
        ? uncounted!.exceeded(client, error.waitMs)
        : new TooManyBytes(error.megabytes, 'forms', 'FORM_RATE_LIMIT_MB', error.waitMs)
      if (!COUNTED.some(kind => error instanceof kind)) await uncounted?.count(client)
      throw error
    }
    finally {
      quota?.leave(client)
    }
  }
  return { upload, take }
}

/** Errors of what was counted all the same. */
const COUNTED = [StoreUnavailable, TooManyForms, IdempotencyKeyReused]

/** Clients that are remembered to be over their limit; what is forgotten is asked for again. */
const MAX_REMEMBERED = 10_000

/**
 * How many forms each client may send. What is stored is counted by the store in the same step; `count` is for what is
 * not. Who is over the limit is refused from memory until the window ends: a flood costs neither a body nor a round
 * trip.
 */
export class Quota {
  /** When the window of a client ends that has used it up, epoch ms. */
  private readonly usedUp = new Map<string, number>()
  /** How many forms of a client are on their way in. */
  private readonly underway = new Map<string, number>()

  constructor(private readonly limiter: Limiter, private readonly now: () => number) {}

  /** @throws TooManyForms when the client is known to be over its limit */
  check(client: string): void {
    const waitMs = (this.usedUp.get(client) ?? 0) - this.now()
    if (waitMs > 0) throw new TooManyForms(this.limiter.limit, waitMs)
    this.usedUp.delete(client)
  }

  /**
   * Takes note of a form that is on its way in, and has to `leave`. Returns whether more than a window's worth of its
   * client are: then it is counted before it is read, so that nobody holds more than twice that many bodies open.
   */
  enter(client: string): boolean {
    const underway = (this.underway.get(client) ?? 0) + 1
    this.underway.set(client, underway)
    return underway > this.limiter.limit
  }

  leave(client: string): void {
    const underway = this.underway.get(client)! - 1
    if (underway > 0) this.underway.set(client, underway)
    else this.underway.delete(client)
  }

  /**
   * Counts a form that is not stored.
   *
   * @throws TooManyForms when it was one too many
   * @throws StoreUnavailable when the counts cannot be reached
   */
  async count(client: string): Promise<void> {
    const waitMs = await this.limiter.take(client).catch((error) => { throw new StoreUnavailable(error) })
    if (waitMs > 0) throw this.exceeded(client, waitMs)
  }

  /** Remembers that the client has used up its window, and says so. */
  exceeded(client: string, waitMs: number): TooManyForms {
    const [oldest] = this.usedUp.keys()
    if (this.usedUp.size >= MAX_REMEMBERED) this.usedUp.delete(oldest!)
    this.usedUp.set(client, this.now() + waitMs)
    return new TooManyForms(this.limiter.limit, waitMs)
  }
}
