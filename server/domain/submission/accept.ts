import type { Form } from '../../ports/form'
import { LimitReached } from '../../ports/limiter'
import { StoreUnavailable, TooManyForms } from '../errors'
import { receive, type IntakePorts } from './intake'
import type { Quota } from './quota'
import { idempotencyDigest, screen, type ScreeningPorts, type Sender } from './screening'

export interface AcceptPorts {
  /** Null when everybody may send any number. */
  quota: Quota | null
  screening: ScreeningPorts
  intake: IntakePorts
}

/**
 * Takes a form from a sender, and counts it once: with the record where one is stored, otherwise by itself, and first
 * where a human check is going to ask somebody else or the sender has too many on their way. Resolves with its id, also
 * for one that is held because it fell into the honeypot.
 *
 * @param read the body, which is not read for a sender who is known to be over the limit
 * @throws DomainError of any kind when nothing was stored
 */
export async function accept(read: () => Promise<unknown>, sender: Sender, form: Form, { quota, screening, intake }: AcceptPorts): Promise<string> {
  const client = sender.group
  quota?.check(client)
  const isCrowded = quota?.enter(client) ?? false
  const isFirst = isCrowded || (screening.humanCheck !== null && !sender.trusted)
  const uncounted = isFirst ? null : quota
  try {
    if (isFirst) await quota?.count(client)
    const body = await read()
    // Others of the same client may have used up the window meanwhile; what goes on from here joins the lines of cards.
    uncounted?.check(client)
    const { data, held } = await screen(body, sender, screening)
    return await receive(data, form, intake, { idempotencyKey: idempotencyDigest(sender, form.key), client: uncounted ? client : undefined, held })
  }
  catch (error) {
    if (error instanceof LimitReached) throw uncounted!.exceeded(client, error.waitMs)
    if (!(error instanceof StoreUnavailable || error instanceof TooManyForms)) await uncounted?.count(client)
    throw error
  }
  finally {
    quota?.leave(client)
  }
}
