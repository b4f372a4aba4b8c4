import { CLOCK_OFF_MS } from '../../../shared/types/status'
import type { StoreClock } from '../../ports/runtime'
import type { Context, Core } from '../context'
import type { Credentials } from './credentials'
import { problemsOf, readParts, withoutCredentials } from './parts'

export interface Readiness {
  ready: boolean
  /** Problems to fix before this process can work, one line each. */
  reasons: readonly string[]
  /** Temporary failures that are retried; forms are accepted and stored meanwhile. */
  warnings: readonly string[]
}

/**
 * A process is ready if its store takes writes and every platform accepts its credentials. Outages of a platform are
 * ignored: otherwise a load balancer would remove all replicas, which can still store forms. A room that accepts no
 * cards and an email provider that refuses are ignored, too: forms are stored.
 */
export function createReadiness(
  context: Context, storage: Storage, credentials: Credentials,
): () => Promise<Readiness> {
  return async () => {
    const [refusals, storeRefusal, advice, parts] = await Promise.all([
      credentials.check(), storage.check(), storage.advice(), readParts(context),
    ])
    const reasonsOf = (isPermanent: boolean) => (
      refusals.filter(({ permanent }) => permanent === isPermanent).map(({ reason }) => reason)
    )
    const reasons = [...storeRefusal ? [storeRefusal.reason] : [], ...reasonsOf(true)]
    const partProblems = problemsOf(parts.map(withoutCredentials))
    return {
      ready: reasons.length === 0, reasons,
      warnings: [...reasonsOf(false), ...partProblems, ...advice, ...clockWarning(context.clock)],
    }
  }
}

/** The service uses the store's clock, but platform signatures are checked with the clock of this machine. */
function clockWarning({ aheadMs }: StoreClock): string[] {
  if (Math.abs(aheadMs) <= CLOCK_OFF_MS) return []
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return [
    `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the store's. Set it by NTP: platforms are refused from 5 min on.`,
  ]
}

/** Reason for refusing forms, for people, and its start, epoch ms. */
export interface StoreRefusal {
  since: number
  reason: string
}

/** Checks if the store can take forms; once for each process. */
export class Storage {
  /** Result of the last check. */
  refusal: StoreRefusal | null = null

  /** @param readAdvice returns recommended changes; rejects if the store does not answer */
  constructor(
    private readonly context: Core, private readonly readAdvice: () => Promise<readonly string[]>,
  ) {}

  /** Returns recommended changes to the store, one line each; none while it does not answer. */
  advice(): Promise<readonly string[]> {
    return this.readAdvice().catch(() => [])
  }

  /** Returns null if forms can be stored, or else the reason and the time of the first failed check. */
  async check(): Promise<StoreRefusal | null> {
    const askedAt = this.context.runtime.now()
    const reason = await this.context.store.check().catch(() => 'The store (STORE_URL) does not answer.')
    this.refusal = reason === null ? null : { since: this.refusal?.since ?? askedAt, reason }
    return this.refusal
  }
}
