import { setTimeout } from 'node:timers/promises'
import type { GatewayStatus } from '../../../shared/types/status'
import { ListenerRefused, type Connection, type Listener, type ListenerOptions } from '../../platforms/connection'

/** The listener of a platform that delivers messages through a socket. */
export interface Gateway {
  platform: string
  /** Listens for so long, ms, and forwards to the platform's webhook route; the newest listener takes over from the others. */
  listen(durationMs: number): Listening
  /** Listens for as long as the process lives and hands events on within it. */
  keepListening(): Promise<void>
  /** Of the one listener that all replicas share. */
  status(): Promise<GatewayStatus>
  /** Hands over to whoever comes next; resolves when that is done. */
  stop(): Promise<void>
}

interface Listening {
  /** Resolves when the platform has let the listener in; rejects, with a message for people, when that cannot be. */
  connected: Promise<unknown>
  /** Resolves when it listens no more. */
  ended: Promise<void>
}

/** Pause before a listener that could not start tries again, ms. */
const START_AGAIN_MS = 3000

interface GatewayOptions extends Omit<ListenerOptions, 'webhookUrl'> {
  /** Without a trailing slash. */
  siteUrl: string
}

/** Null where there is no socket. The platform's code is loaded when listening starts. */
export function createGateway({ platform: { key }, listener }: Connection, { siteUrl, ...options }: GatewayOptions): Gateway | null {
  if (!listener) return null
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const track = (task: Promise<void>) => {
    const tracked = task.finally(() => running.delete(tracked))
    running.add(tracked)
    return tracked
  }
  const attempt = async (webhookUrl: string | null, act: (listener: Listener) => Promise<void>, failed: (error: unknown) => void = () => {}) => {
    await listener({ ...options, webhookUrl }).then(act).catch((error: unknown) => {
      options.log.error('gateway.failed', { platform: key, error })
      failed(error)
    })
  }
  const listen = (durationMs: number): Listening => {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    promise.catch(() => { /* Whoever waits has it. */ })
    const failed = (error: unknown) => reject(error instanceof ListenerRefused ? error : new Error('The listener could not start, most likely because the store (STORE_URL) does not answer; the log says more.'))
    const ended = attempt(`${siteUrl}/api/webhooks/${key}`, started => started.listen({ durationMs, signal: stopping.signal, connected: () => resolve(undefined) }), failed)
    return { connected: promise, ended: track(ended.finally(() => reject(new Error('The listener ended before it was connected: another one took over, or the process is stopping.')))) }
  }
  const keepListening = async () => {
    while (!stopping.signal.aborted) {
      await attempt(null, started => started.keepListening(stopping.signal))
      // It ends by itself only when it could not start, e.g. because the store was away.
      await setTimeout(START_AGAIN_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  return {
    platform: key,
    listen,
    keepListening: () => track(keepListening()),
    status: async () => (await listener({ ...options, webhookUrl: null })).status(),
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
