import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { SqliteCardQueue } from '../../server/adapters/sqlite/card-queue'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { plainText } from '../../shared/utils/line'
import { createHealthBook } from '../../server/adapters/storage/health'
import { createRestBook } from '../../server/adapters/storage/rests'
import type { Context } from '../../server/domain/context'
import { OpsSubmissions } from '../../server/domain/queries/ops-submissions'
import { RoomSubmissions } from '../../server/domain/queries/room-submissions'
import { receive } from '../../server/domain/intake/intake'
import { storeRules } from '../../server/domain/lifecycle/record'
import { Outbox } from '../../server/domain/outbox/outbox'
import { Decisions, type Intent } from '../../server/domain/review/decisions'
import { deliveryParts } from '../../server/domain/deliveries/registry'
import { CardQueue } from '../../server/domain/cards/card-queue'
import { People } from '../../server/domain/people/people'
import { Reviewers } from '../../server/domain/people/reviewers'
import { Quarantine } from '../../server/domain/review/quarantine'
import { sweep } from '../../server/domain/outbox/sweep'
import type { SubmissionStore } from '../../server/ports/store'
import type { Action, Reviewer, Submission, Work } from '../../server/ports/submission'
import { waiting } from '../support/seed'
import { memoryDatabase, memoryLimiter } from '../support/sqlite'
import { FakeBoard } from './board'
import { testContext } from './context'
import { FakeEndpoint, FakeMailer } from './deliveries'
import { formsOf, type WrittenForm } from './forms'
import { FakeRuntime } from './runtime'

export const LEASE_MS = 30_000
export const CLAIM_MS = 4 * 60 * 60 * 1000
export const ADA: Reviewer = { id: 'U1', name: 'Ada', platform: 'Slack' }

export type Triage = Awaited<ReturnType<typeof openTriage>>

/** Intent of a person; `person` and `place` have defaults. */
export type Wish<Each = Intent> = Each extends Intent
  ? Omit<Each, 'person' | 'place'> & Partial<Pick<Each, 'person' | 'place'>>
  : never

interface TriageOptions {
  platforms?: readonly string[]
  /** Time in which each decision can be undone, ms */
  revocableMs?: Record<Action, number>
  /** Further settings of the form */
  form?: WrittenForm
  /** Opens the store that replaces the embedded one. */
  openStore?: (dir: string, now: () => number) => SubmissionStore
}

/** Opens the whole domain on a real store, with all external systems faked, until the test ends. */
export async function openTriage(
  { platforms = ['slack'], revocableMs = { forward: 0, spam: 0 }, form = {}, openStore }: TriageOptions = {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'triage-'))
  const runtime = new FakeRuntime()
  const outage: Outage = { calls: 0, writes: Promise.resolve(), written: 0 }
  const db = memoryDatabase(runtime.now)
  const queues = new SqliteCardQueue(db)
  const kept = openStore?.(dir, runtime.now)
    ?? new SqliteStore(db, storeRules)
  const store = withOutages(kept, outage)
  const board = new FakeBoard(platforms)
  const mailer = new FakeMailer()
  const endpoint = new FakeEndpoint()
  const forms = formsOf({ rooms: platforms, endpoint, ...form })
  const confirmations = memoryLimiter({ limit: 3, windowS: 86_400 })
  const context = {
    ...testContext({
      mail: {
        fromAddress: 'forms@example.com', fromName: 'Formbot', to: ['team@example.com'],
        receipts: { waitMs: 3_600_000 },
      },
      policy: { baseMs: 5000, leaseMs: LEASE_MS, retryForMs: 30 * 60_000 }, claimMs: CLAIM_MS,
      clock: { now: runtime.now, aheadMs: 0, known: async () => {} },
    }),
    store, queues, board, mailer, confirmations, forms, runtime, revocableMs,
    health: createHealthBook(createSqliteStorage(db)), rests: createRestBook(createSqliteStorage(db)),
  } satisfies Context
  const queue = new CardQueue(context, (...card) => outbox.post(...card))
  /** Each process has its own outbox. */
  const createOutbox = () => new Outbox(context, queue)
  const outbox: Outbox = createOutbox()
  const takeIn = (data: unknown, options = {}) => receive(data, forms.of(undefined), context, outbox, options)
  const people = new People()
  const reviewers = new Reviewers(context, people)
  const quarantine = new Quarantine(context, outbox, reviewers)
  const decisions = new Decisions(context, outbox, reviewers)
  const decide = (wish: Wish) => decisions.decide({ person: ADA, place: 'everywhere', ...wish })
  onTestFinished(async () => {
    // Wait for running work: it would write into the removed folder.
    await runtime.drain()
    await kept.close()
    await rm(dir, { recursive: true })
  })
  return Object.assign(context, {
    outage, queue, endpoint, outbox, createOutbox, deliveries: deliveryParts(forms), decisions,
    quarantine, people, reviewers, receive: takeIn,
    submissions: new RoomSubmissions(context, decisions, 'everywhere'),
    /** Resolves with the id once the cards are posted. */
    post: async (data: unknown) => {
      const id = await takeIn(data)
      await runtime.drain()
      return id
    },
    /** Decides at the ops pages, as Ada unless another person is named. */
    decide,
    /** Ada forwards the submission; resolves once all effects are done. */
    forward: async (id: string) => {
      const result = await decide({ id, action: 'forward' })
      if ('message' in result) throw new Error(plainText(result.message))
      await runtime.drain()
    },
    sweep: () => sweep(context, outbox, reviewers),
    /** Resolves with the call's result once all its effects are done. */
    settle: async <T>(result: Promise<T>) => {
      const value = await result
      await runtime.drain()
      return value
    },
    /** Advances the clock by `ms` and sweeps; resolves once all effects are done. */
    sweepAfter: async (ms = 0) => {
      runtime.time += ms
      await sweep(context, outbox, reviewers)
      await runtime.drain()
    },
  })
}

/** Opens the operations of the ops pages. */
export function submissionsIn(triage: Triage): OpsSubmissions {
  return new OpsSubmissions(triage, triage.outbox, triage.reviewers, triage.decisions, triage.quarantine)
}

/** Erases the submission and edits its only card like another process, before this process edits the card. */
export async function erasedElsewhere({ outbox }: Pick<Triage, 'outbox'>, id: string): Promise<void> {
  const erased = await outbox.apply(id, [{ type: 'erased', reviewer: ADA }])
  if ('refused' in erased) throw new Error(erased.refused)
  const [{ key, card }] = erased.added as [Work]
  await outbox.apply(id, [{ type: 'done', key, card, version: erased.submission.version }])
}

interface Outage {
  /** Number of next calls to refuse */
  calls: number
  /** Promise that must resolve before submissions are written */
  writes: Promise<unknown>
  /** Number of writes requested so far */
  written: number
}

function withOutages(store: SubmissionStore, outage: Outage): SubmissionStore {
  return new Proxy(store, {
    get(target, name: keyof SubmissionStore) {
      if (name === 'recall') return target.recall?.bind(target)
      return (...args: unknown[]) => {
        if (outage.calls > 0) {
          outage.calls--
          return Promise.reject(new Error('The store does not answer.'))
        }
        if (name === 'replace') outage.written++
        const call = () => Reflect.apply(target[name], target, args)
        return name === 'replace' ? outage.writes.then(call) : call()
      }
    },
  })
}

/** Stores open submissions, a second apart, newest first. Resolves with their ids. */
export async function storeWaiting({ store, runtime }: Triage, all: readonly Partial<Submission>[]): Promise<string[]> {
  const submissions = all.map((changes, position) => waiting({
    receivedAt: runtime.now() - position * 1000, cards: [], ...changes,
  }))
  for (const submission of submissions) await store.create(submission)
  return submissions.map(({ id }) => id)
}
