import { CLOCK_OFF_MS } from '../../../shared/types/status'
import type { ReviewBoard } from '../../ports/board'
import type { Outcome } from '../../ports/delivery'
import type { HealthBook } from '../../ports/monitor'
import type { Runtime, StoreClock } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'

export interface Readiness {
  ready: boolean
  /** What has to change before this process can do its job; one line each. */
  reasons: readonly string[]
  /** What fails for now and is tried again: forms are taken in and kept meanwhile. */
  warnings: readonly string[]
}

/** How long the platforms' answers are believed, ms: probes come every few seconds, and platforms count calls. */
const CHECK_TTL_MS = 30_000

/** How long a probe waits for a platform, ms; orchestrators give up after a few seconds. */
const PATIENCE_MS = 2000

export interface ReadinessPorts {
  storage: Pick<Storage, 'check' | 'advice'>
  board: ReviewBoard
  health: HealthBook
  runtime: Pick<Runtime, 'now' | 'wait'>
  clock: Pick<StoreClock, 'aheadMs'>
}

/**
 * Ready is whoever reaches a store that takes writes and has credentials that every platform takes. A platform that is
 * merely away makes nobody unready: taking all replicas out of a load balancer then would lose the forms that they are
 * there to keep.
 */
export function createReadiness({
  storage, board, health, runtime, clock,
}: ReadinessPorts): () => Promise<Readiness> {
  let checked: { at: number, results: Promise<Pick<Readiness, 'reasons' | 'warnings'>> } | null = null

  async function checkPlatforms(): Promise<Pick<Readiness, 'reasons' | 'warnings'>> {
    const outcomes = await Promise.all(board.platforms.map(async (platform) => {
      const late = runtime.wait(PATIENCE_MS).then(
        (): Outcome => ({ ok: false, permanent: false, reason: `${board.label(platform)} has not answered yet.` }),
      )
      const answered = board.check(platform).then((outcome) => {
        health.note(platform, runtime.now(), outcome.ok ? undefined : outcome.reason)
        return outcome
      })
      return Promise.race([answered, late])
    }))
    const failed = outcomes.filter(outcome => !outcome.ok)
    return {
      reasons: failed.filter(({ permanent }) => permanent).map(({ reason }) => reason),
      warnings: failed.filter(({ permanent }) => !permanent).map(({ reason }) => reason),
    }
  }

  return async () => {
    const now = runtime.now()
    if (!checked || now - checked.at >= CHECK_TTL_MS) checked = { at: now, results: checkPlatforms() }
    const [platforms, refusal, advice] = await Promise.all([checked.results, storage.check(), storage.advice()])
    const reasons = [...refusal ? [refusal.reason] : [], ...platforms.reasons]
    return {
      ready: reasons.length === 0, reasons, warnings: [...platforms.warnings, ...advice, ...clockWarning(clock)],
    }
  }
}

/** The service goes by the store's clock; signatures of platforms are checked by this machine's. */
function clockWarning({ aheadMs }: Pick<StoreClock, 'aheadMs'>): string[] {
  if (Math.abs(aheadMs) <= CLOCK_OFF_MS) return []
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return [
    `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the store's. Set it by NTP: platforms are refused from 5 min on.`,
  ]
}

/** Why forms are refused, for people, and from when on, epoch ms. */
export interface StoreRefusal {
  since: number
  reason: string
}

interface StorageChecks extends Pick<SubmissionStore, 'check'> {
  /** Rejects when the store does not answer. */
  advice: () => Promise<readonly string[]>
}

/** Whether forms can be stored, as this process found it last. */
export class Storage {
  private refusingSince: number | null = null

  constructor(private readonly store: StorageChecks, private readonly now: () => number) {}

  /** What is to be changed about it although it works, one line each; none while it does not tell. */
  advice(): Promise<readonly string[]> {
    return this.store.advice().catch(() => [])
  }

  /** Null when they can; otherwise since when they cannot: as exact as this is asked often. */
  async check(): Promise<StoreRefusal | null> {
    const askedAt = this.now()
    const reason = await this.store.check().catch(() => 'The store (STORE_URL) does not answer.')
    this.refusingSince = reason === null ? null : this.refusingSince ?? askedAt
    return reason === null ? null : { since: this.refusingSince!, reason }
  }
}
