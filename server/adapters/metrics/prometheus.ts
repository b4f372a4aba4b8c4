import type { GatewayStatus, Gauges, Metrics } from '../../ports/monitor'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Outcome } from '../../ports/delivery'

/** Seconds; Slack and Discord drop an interaction after 3. */
const ACKNOWLEDGEMENT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3]
/** Seconds; every call to a vendor is limited to 10 to 30. */
const EFFECT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates the service's metrics, all named `triage_…`, and those of the process. */
export function createPrometheus(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // These gauges are named like counters. `nodejs_active_resources` has the same numbers by type.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`)
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) => new Counter({
    name, help, labelNames, registers,
  })

  const submissions = counter(
    'triage_submissions_total', 'Submissions received, those of them that were held, and how they ended.', ['outcome'],
  )
  const posts = counter('triage_card_posts_total', 'Attempts to post a card.', ['platform', 'result'])
  const updates = counter(
    'triage_card_updates_total', 'Attempts to update a card, or to reply below it.', ['platform', 'result'],
  )
  const deliveries = counter('triage_deliveries_total', 'Attempts to deliver a forward.', ['delivery', 'result'])
  const files = counter('triage_files_total', 'Attempts to store or read a file of a form.', ['result'])
  const misplacedDecisions = counter(
    'triage_misplaced_decisions_total', 'Attempts to decide a submission from a channel that it does not belong to.',
    ['platform'],
  )
  const refusedDecisions = counter(
    'triage_refused_decisions_total', 'Attempts to decide a submission by people who are not its reviewers.',
    ['platform'],
  )
  const incidents = counter('triage_incidents_total', 'Things that a person should look into.', ['kind'])
  const receipts = counter(
    'triage_receipts_total', 'Email events from Resend; `foreign` means an email that is not on record here.',
    ['verdict', 'result'],
  )
  const effects = new Histogram({
    name: 'triage_effect_seconds', help: 'How long each attempt at an outside effect took.', labelNames: ['part'],
    buckets: EFFECT_BUCKETS, registers,
  })
  const acknowledgements = new Histogram({
    name: 'triage_webhook_acknowledgement_seconds', help: 'How long a platform waited for the answer to a webhook.',
    labelNames: ['platform', 'status'], buckets: ACKNOWLEDGEMENT_BUCKETS, registers,
  })

  return {
    received(isQuarantined) {
      submissions.inc({ outcome: 'received' })
      if (isQuarantined) submissions.inc({ outcome: 'held' })
    },
    ended: ({ outcome }) => submissions.inc({ outcome }),
    tried({ kind, room, card }, outcome, ms) {
      const result = resultOf(outcome)
      const platform = room === undefined ? card?.platform ?? '' : platformOf(room)
      if (kind === 'post') posts.inc({ platform, result })
      else if (kind === 'update' || kind === 'remind' || kind === 'tell') updates.inc({ platform, result })
      else deliveries.inc({ delivery: kind, result })
      effects.observe({ part: platform || kind }, ms / 1000)
    },
    filed: reason => files.inc({ result: reason === undefined ? 'ok' : 'failed' }),
    undelivered: room => posts.inc({ platform: platformOf(room), result: 'undelivered' }),
    misplaced: platform => misplacedDecisions.inc({ platform }),
    refused: platform => refusedDecisions.inc({ platform }),
    incident: kind => incidents.inc({ kind }),
    told: (verdict, isNews) => receipts.inc({ verdict, result: isNews ? 'news' : 'known' }),
    toldForeign: () => receipts.inc({ verdict: 'none', result: 'foreign' }),
    acknowledged: (platform, status, ms) => acknowledgements.observe({ platform, status: String(status) }, ms / 1000),
    async expose(gauges) {
      // Omit gauges that could not be read, instead of reporting 0.
      const mergedRegistry = gauges ? Registry.merge([registry, gaugesOf(gauges)]) : registry
      return { contentType: mergedRegistry.contentType, body: await mergedRegistry.metrics() }
    },
  }
}

const platformOf = (room: string) => room.split('/')[0]!

function gaugesOf({ backlog, gateways, now }: Gauges): Registry {
  const registry = new Registry()
  const addGauge = (name: string, help: string, value: number) => (
    new Gauge({ name, help, registers: [registry] }).set(value)
  )
  const addGatewayGauge = (name: string, help: string, valueOf: (status: GatewayStatus) => number) => {
    const metric = new Gauge({ name, help, labelNames: ['platform'], registers: [registry] })
    for (const { platform, status } of gateways) if (status) metric.set({ platform }, valueOf(status))
  }
  addGauge(
    'triage_pending_submissions', 'Submissions that wait or are being delivered, over all replicas.', backlog.pending,
  )
  const age = (at: number | null) => at === null ? 0 : Math.max(now - at, 0) / 1000
  addGauge('triage_oldest_pending_seconds', 'Age of the oldest of them; 0 when there is none.', age(backlog.oldestAt))
  addGauge(
    'triage_overdue_submissions', 'Submissions with due work that no replica has taken.',
    backlog.overdue,
  )
  addGauge(
    'triage_oldest_overdue_seconds', 'How long ago the first of that work was due; 0 when there is none.',
    age(backlog.overdueSince),
  )
  addGauge(
    'triage_stuck_submissions',
    'Submissions that wait for a person because a delivery or a card was refused or given up, over all replicas.',
    backlog.stuck,
  )
  addGatewayGauge(
    'triage_gateway_connected', '1 while a listener is connected to the platform, whichever replica runs it.',
    ({ connectedSince }) => connectedSince === null ? 0 : 1,
  )
  addGatewayGauge(
    'triage_gateway_resumes', 'How often the present gateway session was resumed.', ({ resumes }) => resumes,
  )
  addGatewayGauge(
    'triage_gateway_dead_letters', 'Gateway events that were given up in the last week.',
    ({ deadLetters }) => deadLetters,
  )
  return registry
}

function resultOf(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'ok' : outcome.permanent ? 'refused' : 'failed'
}
