import type { Listener, ListenerOptions, ListenerRun } from '../../connection'
import { listenAsOwner } from '../../shared/listener/listen'
import type { FormDiscordAdapter } from '../adapter'
import type { DiscordSettings } from '../api/rest'
import { ActiveListener } from './active-listener'
import { forwardTo, type Deliver, type GatewayOptions } from './events'
import { GatewayStore } from './store'

/** Timeout of one forward, ms: longer than a handler takes, so that no retry overlaps with it */
const FORWARD_TIMEOUT_MS = 30_000

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
    state, log, botToken, applicationId, leaseMs, rest: adapter.rest,
    deliver: webhookUrl ? forwardTo(webhookUrl, botToken, FORWARD_TIMEOUT_MS) : receive,
  }
  return {
    listen: run => listen(options, run),
    status: () => new GatewayStore(state, applicationId).status(),
  }
}

/**
 * Listens as `listenAsOwner` says. The session survives every end, and Discord replays undelivered events to the next
 * listener.
 *
 * @throws ListenerRefused if a setting has to be changed
 */
export function listen(options: GatewayOptions, run: ListenerRun): Promise<void> {
  const { state, leaseMs } = options
  const store = new GatewayStore(state, options.applicationId)
  let previous: ActiveListener | null = null
  return listenAsOwner(run, { state, store, leaseMs }, (owned) => {
    return previous = new ActiveListener({ ...options, ...owned, store, known: previous?.checkpoint ?? null })
  })
}
