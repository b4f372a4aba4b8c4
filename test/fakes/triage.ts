import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedCardQueue } from '../../server/adapters/embedded/card-queue'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RoomSubmissions } from '../../server/domain/submission/room-submissions'
import { receive } from '../../server/domain/submission/intake'
import { storeRules } from '../../server/domain/submission/store-rules'
import { Outbox } from '../../server/domain/submission/outbox'
import { CardQueue } from '../../server/domain/submission/card-queue'
import { Quarantine } from '../../server/domain/submission/quarantine'
import { Review } from '../../server/domain/submission/review'
import { sweep } from '../../server/domain/submission/sweep'
import type { SubmissionStore } from '../../server/ports/store'
import type { Delivery, Reviewer } from '../../server/ports/submission'
import { FakeBoard } from './board'
import { FakeEndpoint, FakeMailer } from './deliveries'
import { formsOf } from './forms'
import { FakeRuntime, silentLog, silentMonitor } from './runtime'

export const LEASE_MS = 30_000
const POLICY = { baseMs: 5000, leaseMs: LEASE_MS }
export const ADA: Reviewer = { id: 'U1', name: 'Ada', platform: 'Slack' }

export type Triage = Awaited<ReturnType<typeof openTriage>>

interface TriageOptions {
  platforms?: readonly string[]
  /** Another store than the embedded one. */
  openStore?: (dir: string, now: () => number) => SubmissionStore
}

/** The whole domain on a real store, with the outside world faked. */
export async function openTriage({ platforms = ['slack'], openStore }: TriageOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'triage-'))
  const runtime = new FakeRuntime()
  const outage = { calls: 0 }
  const queues = new EmbeddedCardQueue(runtime.now)
  const kept = openStore?.(dir, runtime.now)
    ?? new EmbeddedStore({ dir, ...storeRules, now: runtime.now, queue: queues })
  const store = withOutages(kept, outage)
  const board = new FakeBoard(platforms)
  const mailer = new FakeMailer()
  const endpoint = new FakeEndpoint()
  const forms = formsOf({ rooms: platforms, endpoint })
  const presentation = { siteUrl: 'https://forms.example.com', forms }
  const deliveries: Delivery[] = ['email', 'endpoint']
  const queue = new CardQueue({
    queues, store, board, forms, run: (...work) => outbox.run(...work), policy: POLICY,
    overviewUrl: presentation.siteUrl, runtime, log: silentLog,
  })
  const outbox: Outbox = new Outbox({
    store, board, queue, mailer, presentation, runtime, monitor: silentMonitor, log: silentLog,
    policy: POLICY,
    mail: { fromAddress: 'forms@example.com', fromName: 'Formbot' },
    template: async () => ({ heading, fields }) => ({ html: heading, text: JSON.stringify(fields), isWhole: true }),
  })
  const intake = { store, outbox, queue, leaseMs: LEASE_MS, runtime, monitor: silentMonitor, log: silentLog }
  const takeIn = (data: unknown, options = {}) => receive(data, forms.of(undefined), intake, options)
  const quarantine = new Quarantine({ store, outbox, queue, presentation, runtime, log: silentLog })
  const review = new Review(
    { store, outbox, board, presentation, runtime, monitor: silentMonitor, log: silentLog }, 'everywhere',
  )
  return {
    store, outage, board, queues, queue, mailer, endpoint, runtime, outbox, deliveries,
    review, quarantine, presentation,
    submissions: new RoomSubmissions({ store, board, review, presentation }, 'everywhere'),
    intake, receive: takeIn,
    /** Resolves with the id once the cards are posted. */
    post: async (data: unknown) => {
      const id = await takeIn(data)
      await runtime.drain()
      return id
    },
    sweep: () => sweep({ store, outbox, queue, leaseMs: LEASE_MS, runtime, log: silentLog }),
    close: async () => {
      await kept.close()
      await rm(dir, { recursive: true })
    },
  }
}

/** The store, whose next `outage.calls` calls are refused. */
function withOutages(store: SubmissionStore, outage: { calls: number }): SubmissionStore {
  return new Proxy(store, {
    get(target, name: keyof SubmissionStore) {
      return (...args: unknown[]) => {
        if (outage.calls > 0) {
          outage.calls--
          return Promise.reject(new Error('The store does not answer.'))
        }
        return Reflect.apply(target[name], target, args)
      }
    },
  })
}
