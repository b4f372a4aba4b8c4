import type { StateAdapter } from 'chat'
import { ListenerRefused, type ListenerRun } from '../../connection'
import { pause } from '../patience'
import { Lease, type Approach } from './lease'
import type { LeaseOwner, OwnerOptions } from './owner'
import type { OwnerStore } from './owner-store'

/** Max wait for the listener that took over, ms: longer than the route waits for this one */
const SUCCESSOR_WAIT_MS = 30_000

/** Interval at which the new listener's connection is checked, ms */
const POLL_MS = 500

interface Shared {
  state: StateAdapter
  store: OwnerStore
  /** Time for which a dead listener blocks the next one, ms */
  leaseMs: number
}

/**
 * Runs until `durationMs` have passed, the signal aborts, or a newer listener takes over. Settles once nothing is in
 * progress.
 *
 * @param create called each time this process becomes the owner
 * @throws ListenerRefused if a setting has to be changed
 */
export async function listenAsOwner(
  { durationMs, signal, standBy, connected }: ListenerRun, { state, store, leaseMs }: Shared,
  create: (owned: Pick<OwnerOptions, 'lease' | 'signal' | 'endsAt' | 'connected'>) => LeaseOwner,
): Promise<void> {
  const endsAt = Number.isFinite(durationMs) ? Date.now() + durationMs : null
  const stop = new AbortController()
  const timer = endsAt === null ? undefined : setTimeout(() => stop.abort(), durationMs)
  const endSignal = AbortSignal.any([stop.signal, ...signal ? [signal] : []])
  const lease = new Lease(state, store.key, leaseMs)
  let approach: Approach = standBy ? 'stand by' : 'claim'
  try {
    while (await lease.take(approach, endSignal)) {
      const owner = create({ lease, signal: endSignal, endsAt, connected })
      if (await owner.run() === 'refused') throw new ListenerRefused(owner.refusal ?? '')
      if (!standBy) approach = 'if free'
    }
    if (await isConnected(store, AbortSignal.any([endSignal, AbortSignal.timeout(SUCCESSOR_WAIT_MS)]))) connected?.()
  }
  finally {
    clearTimeout(timer)
  }
}

/** Waits until the listener that took over is connected. */
async function isConnected(store: OwnerStore, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await store.status().catch(() => null))?.connectedSince) return true
    await pause(POLL_MS, signal)
  }
  return false
}
