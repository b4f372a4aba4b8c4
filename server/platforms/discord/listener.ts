import { hostname } from 'node:os'
import type { Listener, ListenerOptions } from '../connection'
import type { FormDiscordAdapter } from './adapter'
import type { DiscordSettings } from './rest'
import type { Deliver, GatewayOptions } from './gateway/events'
import { createHttpForward } from './gateway/http-forward'
import { keepListening, listen } from './gateway/listener'
import { gatewayStatus } from './gateway/store'

/** Bound of one forward, ms: longer than a handler takes, or a repetition would meet it. */
const FORWARD_TIMEOUT_MS = 30_000

/** What the listener reports when a session is attached. */
const CONNECTED = ['identified', 'resumed']

/** The gateway listener of this deployment; its memory is the Chat SDK's state, which replicas share. */
export async function createListener(settings: DiscordSettings, { bot, webhookUrl, background, log }: ListenerOptions): Promise<Listener> {
  const chat = await bot()
  await chat.initialize()
  const adapter = chat.getAdapter('discord') as FormDiscordAdapter
  const here: Deliver = event => adapter.receive(event, { waitUntil: background })
  const options: GatewayOptions = {
    state: chat.getState(), log,
    botToken: settings.botToken, applicationId: settings.applicationId, rest: adapter.rest,
    deliver: webhookUrl ? createHttpForward(webhookUrl, settings.botToken, FORWARD_TIMEOUT_MS) : here,
    owner: `${hostname()}:${process.pid}`,
  }
  return {
    listen: ({ connected, ...run }) => listen({ ...options, onStatus: what => CONNECTED.includes(what) && connected?.() }, run),
    keepListening: signal => keepListening(options, signal),
    status: () => gatewayStatus(options.state, options.applicationId),
  }
}
