import { z } from 'zod'
import type { DeliveryLine, DeliveryPage, SentAgain } from '../../../shared/types/deliveries'
import type { Person } from '../../ports/submission'
import type { Context } from '../context'
import { wayOf } from '../deliveries/registry'
import { WrongState } from '../errors'
import { parsed } from '../json'
import {
  choiceFields, deliveriesSchema, linesOf, listDeliveries, matcherFor, readLines,
} from '../queries/deliveries'
import { decideEach, type OpsSubmissions } from '../queries/ops-submissions'
import { getAll, orUnavailable } from '../queries/rows'

/** Max submissions of one request. */
const MOST_SENT = 1000

const sendAgainSchema = z.union([
  z.strictObject({
    ids: z.array(z.string().max(100)).max(MOST_SENT), destination: choiceFields.destination,
  }),
  z.strictObject({ ...choiceFields, destination: choiceFields.destination.unwrap() }),
], `Send {"ids":["…"]} with at most ${MOST_SENT} ids, or {"destination":"crm.example.com"} with "state", "from" and "to" if you like`)

/** Lists deliveries that failed or wait, and sends them again. */
export class Deliveries {
  /** @param sweep function that does all due work */
  constructor(
    private readonly context: Context, private readonly submissions: OpsSubmissions,
    private readonly sweep: () => Promise<unknown>,
  ) {}

  /** @throws InvalidRequest, StoreUnavailable */
  list(query: unknown): Promise<DeliveryPage> {
    return listDeliveries(parsed(deliveriesSchema, query), this.context)
  }

  /**
   * Sends submissions again: what was given up by another decision, like its button; what waits at once. Both keep
   * their idempotency keys. The rules of reviewers apply to each.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async sendAgain(body: unknown, reviewer: Person): Promise<SentAgain> {
    const { runtime, log } = this.context
    const request = parsed(sendAgainSchema, body)
    const chosen = await this.choose(request)
    const ids = [...chosen.keys()].slice(0, MOST_SENT)
    let isAnyPulled = false
    const results = await decideEach(ids, async (id) => {
      const lines = chosen.get(id)!
      if (lines.length === 0) throw new WrongState('No delivery of it failed or waits.')
      if (lines.some(({ state }) => state === 'failed')) {
        await this.submissions.decide(id, { action: 'resend' }, reviewer)
        return
      }
      await this.submissions.pull(id, lines.map(({ destination }) => wayOf(destination)), reviewer)
      isAnyPulled = true
    })
    const sweepNow = () => this.sweep().catch(() => { /* The next sweep does it. */ })
    if (isAnyPulled) runtime.background(runtime.detached(sweepNow))
    const refused = results.flatMap(({ id, error }) => (
      error === null ? [] : [{ id, reason: error instanceof Error ? error.message : String(error) }]
    ))
    const sent = results.filter(({ error }) => error === null).map(({ id }) => id)
    const left = chosen.size - ids.length
    log.info('deliveries.sent-again', { sent: sent.length, refused: refused.length, left, reviewer: reviewer.id })
    return { sent, refused, left }
  }

  /** Returns the deliveries to send again, by submission. */
  private async choose(request: z.output<typeof sendAgainSchema>): Promise<Map<string, DeliveryLine[]>> {
    if (!('ids' in request)) {
      const { lines } = await readLines(this.context)
      return Map.groupBy(lines.filter(matcherFor(request, this.context)), ({ id }) => id)
    }
    const { ids, destination } = request
    const submissions = await orUnavailable(getAll(this.context.store, ids))
    const lines = submissions.flatMap(submission => linesOf(submission, this.context))
    const isChosen = matcherFor({ destination, from: 0 }, this.context)
    return new Map(ids.map(id => [id, lines.filter(line => line.id === id && isChosen(line))]))
  }
}
