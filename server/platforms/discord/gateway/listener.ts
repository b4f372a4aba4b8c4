import { GatewayRefused, type GatewayOptions } from './events'
import { Lease, type Approach } from './lease'
import { pause } from './pause'
import type { Stored } from './progress'
import { GatewayStore } from './store'
import { Tenure } from './tenure'

/** What a crash of the owner costs at most; Discord replays the gap. */
const LEASE_MS = 15_000
/** Until a setting may have been put right. */
const REFUSED_PAUSE_MS = 5 * 60_000

export interface Run {
  /** `Infinity` has no end. */
  durationMs: number
  signal?: AbortSignal
  /** Waits until nobody listens instead of taking over, and waits again after it was taken over from. */
  standBy?: boolean
}

/**
 * Runs until `durationMs` passed, the signal aborts, or a newer listener takes over. Every end hands over: the session
 * stays, and Discord replays to the next listener what was not delivered. Settles when nothing is under way any more.
 *
 * @throws GatewayRefused when a setting has to be changed
 */
export async function listen(options: GatewayOptions, { durationMs, signal, standBy = false }: Run): Promise<void> {
  const endsAt = Number.isFinite(durationMs) ? Date.now() + durationMs : null
  const stop = new AbortController()
  const abort = () => stop.abort()
  const timer = endsAt === null ? undefined : setTimeout(abort, durationMs)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    await hold(options, endsAt, stop.signal, standBy)
  }
  finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Listens for as long as the process lives, whenever nobody else does. */
export async function keepListening(options: GatewayOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await listen(options, { durationMs: Infinity, signal, standBy: true })
    }
    catch (error) {
      options.log.error('discord.gateway.refused', { reason: (error as Error).message })
      await pause(REFUSED_PAUSE_MS, signal)
    }
  }
}

async function hold(options: GatewayOptions, endsAt: number | null, signal: AbortSignal, standBy: boolean): Promise<void> {
  const store = new GatewayStore(options.state, options.applicationId)
  const lease = new Lease(options.state, store.key, options.leaseMs ?? LEASE_MS)
  let approach: Approach = standBy ? 'stand by' : 'claim'
  let known: Stored | null = null
  while (await lease.take(approach, signal)) {
    const tenure: Tenure = new Tenure({ ...options, store, lease, signal, known, endsAt })
    const reason = await tenure.run()
    if (reason === 'refused') throw new GatewayRefused(tenure.refusal)
    if (reason === 'over') return
    known = tenure.knowledge
    // Who asked to take over has two ticks; if it is gone by then, this one carries on.
    await pause(lease.tickMs * 2, signal)
    if (!standBy) approach = 'if free'
  }
}
