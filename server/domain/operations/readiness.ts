import { CLOCK_OFF_MS } from '../../../shared/types/status'
import type { Runtime, StoreClock } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Credentials } from './credentials'
import { problemsOf, readParts, withoutCredentials, type PartsPorts } from './parts'

export interface Readiness {
  ready: boolean
  /** What has to change before this process can do its job; one line each. */
  reasons: readonly string[]
  /** What fails for now and is tried again: forms are taken in and kept meanwhile. */
  warnings: readonly string[]
}

export interface ReadinessPorts extends PartsPorts {
  storage: Pick<Storage, 'check' | 'advice'>
  credentials: Pick<Credentials, 'check'>
  runtime: Pick<Runtime, 'now'>
  clock: Pick<StoreClock, 'aheadMs'>
}

/**
 * Ready is whoever reaches a store that takes writes and has credentials that every platform takes. A platform that is
 * merely away makes nobody unready: taking all replicas out of a load balancer then would lose the forms that they are
 * there to keep. Neither does one that takes no cards, or an email provider that refuses: forms are kept.
 */
export function createReadiness(
  { storage, credentials, runtime, clock, ...ports }: ReadinessPorts,
): () => Promise<Readiness> {
  return async () => {
    const [refused, refusal, advice, parts] = await Promise.all([
      credentials.check(), storage.check(), storage.advice(), readParts(ports, runtime.now()),
    ])
    const reasonsOf = (isPermanent: boolean) => (
      refused.filter(({ permanent }) => permanent === isPermanent).map(({ reason }) => reason)
    )
    const reasons = [...refusal ? [refusal.reason] : [], ...reasonsOf(true)]
    const failing = problemsOf(parts.map(withoutCredentials))
    return {
      ready: reasons.length === 0, reasons,
      warnings: [...reasonsOf(false), ...failing, ...advice, ...clockWarning(clock)],
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
  /** Result of the last check. */
  refusal: StoreRefusal | null = null

  constructor(private readonly store: StorageChecks, private readonly now: () => number) {}

  /** What is to be changed about it although it works, one line each; none while it does not tell. */
  advice(): Promise<readonly string[]> {
    return this.store.advice().catch(() => [])
  }

  /** Null when they can; otherwise since when they cannot: as exact as this is asked often. */
  async check(): Promise<StoreRefusal | null> {
    const askedAt = this.now()
    const reason = await this.store.check().catch(() => 'The store (STORE_URL) does not answer.')
    this.refusal = reason === null ? null : { since: this.refusal?.since ?? askedAt, reason }
    return this.refusal
  }
}
