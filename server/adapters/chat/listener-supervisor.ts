import type { GatewayState, GatewayStatus } from '../../ports/monitor'
import type { Log } from '../../ports/runtime'
import { ListenerRefused, type Connection, type Listener, type ListenerOptions } from '../../platforms/connection'
import { pause } from '../../platforms/shared/patience'

/** Starts, restarts and stops the listener of a platform that delivers messages through a socket. */
export interface ListenerSupervisor {
  platform: string
  /** Name of what brings clicks and messages; absent if it brings messages only */
  outgoing?: string
  /** Listens for `durationMs` and forwards to the webhook route. The newest listener takes over from the others. */
  listen(durationMs: number): Listening
  /** Listens for as long as the process lives, whenever no other listener does, and handles events in this process. */
  keepListening(): Promise<void>
  /** Returns the status of the one listener that all replicas share. */
  status(): Promise<GatewayStatus>
  /** Hands over to the next listener. Resolves when that is done. */
  stop(): Promise<void>
}

interface Listening {
  /** Resolves when a listener is connected, in this or another process. Otherwise rejects with a message for people. */
  connected: Promise<unknown>
  /** Resolves when listening has ended. */
  ended: Promise<void>
}

/** Pause before a failed start is tried again, ms. */
const START_AGAIN_MS = 3000

/** Pause after the platform rejects a setting, ms. It gives people time to correct the setting. */
const REFUSED_PAUSE_MS = 5 * 60_000

const NOT_STARTED
  = 'The listener could not start, most likely because the store (STORE_URL) does not answer; the log says more.'
const NOT_CONNECTED = 'The listener ended before it was connected: this process is stopping.'

interface SupervisorOptions extends Omit<ListenerOptions, 'webhookUrl'> {
  /** Without a trailing slash. */
  siteUrl: string
}

/** Returns null if the platform has no socket. The platform's code is loaded when listening starts. */
export function superviseListener(connection: Connection, supervision: SupervisorOptions): ListenerSupervisor | null {
  const { platform: { key, outgoing }, listener } = connection
  const { siteUrl, ...options } = supervision
  if (!listener) return null
  const stopController = new AbortController()
  const { signal } = stopController
  const runningTasks = new Set<Promise<void>>()
  const track = (task: Promise<void>) => {
    const tracked = task.finally(() => runningTasks.delete(tracked))
    runningTasks.add(tracked)
    return tracked
  }
  /** Resolves with the error, or with undefined if listening ended by itself. */
  const attempt = (webhookUrl: string | null, act: (listener: Listener) => Promise<void>): Promise<unknown> => {
    return listener({ ...options, webhookUrl }).then(act).catch((error: unknown) => {
      options.log.error('gateway.failed', { platform: key, error })
      return error
    })
  }
  const listen = async (durationMs: number, onConnected: () => void, onFailed: (error: Error) => void) => {
    const webhookUrl = `${siteUrl}/api/webhooks/${key}`
    const error = await attempt(webhookUrl, socketListener => (
      socketListener.listen({ durationMs, signal, connected: onConnected })
    ))
    onFailed(error instanceof ListenerRefused ? error : new Error(error ? NOT_STARTED : NOT_CONNECTED))
  }
  const keepListening = async () => {
    while (!signal.aborted) {
      const error = await attempt(null, socketListener => (
        socketListener.listen({ durationMs: Infinity, standBy: true, signal })
      ))
      await pause(error instanceof ListenerRefused ? REFUSED_PAUSE_MS : START_AGAIN_MS, signal)
    }
  }
  return {
    platform: key, outgoing: outgoing?.name,
    listen: (durationMs) => {
      const { promise: connected, resolve, reject } = Promise.withResolvers<undefined>()
      connected.catch(() => { /* The caller gets the error. */ })
      return { connected, ended: track(listen(durationMs, () => resolve(undefined), reject)) }
    },
    keepListening: () => track(keepListening()),
    status: async () => (await listener({ ...options, webhookUrl: null })).status(),
    stop: async () => {
      stopController.abort()
      await Promise.all(runningTasks)
    },
  }
}

/** Returns the status of each listener. A status that cannot be read is null and does not affect the others. */
export function gatewayStates(
  listeners: readonly ListenerSupervisor[], { labelOf, log }: { labelOf: (platform: string) => string, log: Log },
): Promise<GatewayState[]> {
  return Promise.all(listeners.map(async ({ platform, outgoing, status }) => {
    const logFailure = (error: unknown) => {
      log.warn('gateway.status-failed', { platform, error })
      return null
    }
    return { platform, label: labelOf(platform), outgoing, status: await status().catch(logFailure) }
  }))
}
