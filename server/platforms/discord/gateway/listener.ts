import { hostname } from 'node:os'
import { ListenerRefused, type Listener, type ListenerOptions, type ListenerRun } from '../../connection'
import { pause } from '../../shared/patience'
import type { FormDiscordAdapter } from '../adapter'
import type { DiscordSettings } from '../api/rest'
import { ActiveListener } from './active-listener'
import { forwardTo, type Deliver, type GatewayOptions } from './events'
import { Lease, type Approach } from './lease'
import type { Checkpoint } from './progress'
import { GatewayStore } from './store'

/** Timeout of one forward, ms: longer than a handler takes, so that no retry overlaps with it */
const FORWARD_TIMEOUT_MS = 30_000

/** Max wait for the listener that took over, ms: longer than the route waits for this one */
const SUCCESSOR_WAIT_MS = 30_000

/** Interval at which the new listener's connection is checked, ms */
const POLL_MS = 500

/** Status reports which mean that the active listener has a session */
const CONNECTED_EVENTS = ['identified', 'resumed']

/** Gateway listener of this deployment; it stores its data in the Chat SDK's state, which replicas share */
export async function createListener(settings: DiscordSettings, environment: ListenerOptions): Promise<Listener> {
  const { botToken, applicationId } = settings
  const { bot, webhookUrl, background, leaseMs, log } = environment
  const chat = await bot()
  await chat.initialize()
  const state = chat.getState()
  const adapter = chat.getAdapter('discord') as FormDiscordAdapter
  const receive: Deliver = event => adapter.receive(event, { waitUntil: background })
  const options: GatewayOptions = {
    state, log, botToken, applicationId, leaseMs, rest: adapter.rest, owner: `${hostname()}:${process.pid}`,
    deliver: webhookUrl ? forwardTo(webhookUrl, botToken, FORWARD_TIMEOUT_MS) : receive,
  }
  return {
    listen: run => listen({
      ...options, onStatus: event => CONNECTED_EVENTS.includes(event) && run.connected?.(),
    }, run),
    status: () => new GatewayStore(state, applicationId).status(),
  }
}

/**
 * Runs until `durationMs` have passed, the signal aborts, or a newer listener takes over. The session survives every
 * end, and Discord replays undelivered events to the next listener. Settles once nothing is in progress.
 *
 * @throws ListenerRefused if a setting has to be changed
 */
export async function listen(options: GatewayOptions, run: ListenerRun): Promise<void> {
  const { durationMs, signal, standBy } = run
  const endsAt = Number.isFinite(durationMs) ? Date.now() + durationMs : null
  const stop = new AbortController()
  const timer = endsAt === null ? undefined : setTimeout(() => stop.abort(), durationMs)
  const endSignal = AbortSignal.any([stop.signal, ...signal ? [signal] : []])
  const store = new GatewayStore(options.state, options.applicationId)
  const lease = new Lease(options.state, store.key, options.leaseMs)
  let approach: Approach = standBy ? 'stand by' : 'claim'
  let checkpoint: Checkpoint | null = null
  try {
    while (await lease.take(approach, endSignal)) {
      const active: ActiveListener = new ActiveListener({
        ...options, store, lease, signal: endSignal, known: checkpoint, endsAt,
      })
      const reason = await active.run()
      if (reason === 'refused') throw new ListenerRefused(active.refusal ?? '')
      checkpoint = active.checkpoint
      if (!standBy) approach = 'if free'
    }
    if (await isConnected(store, AbortSignal.any([endSignal, AbortSignal.timeout(SUCCESSOR_WAIT_MS)]))) {
      run.connected?.()
    }
  }
  finally {
    clearTimeout(timer)
  }
}

/** Waits until the listener that took over is connected. */
async function isConnected(store: GatewayStore, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await store.status().catch(() => null))?.connectedSince) return true
    await pause(POLL_MS, signal)
  }
  return false
}
