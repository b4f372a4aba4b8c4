import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { waitUntil } from '@vercel/functions'

const running = new Set<Promise<unknown>>()

/** Lets work go on after the answer, and remembers it until it ends. */
export function background(task: Promise<unknown>): void {
  const tracked: Promise<unknown> = task.catch(() => {}).finally(() => running.delete(tracked))
  running.add(tracked)
  // On Vercel only this keeps the function alive after the answer: nitro's own event.waitUntil never gets there.
  waitUntil(tracked)
}

/** Keeps the function instance alive for something that ends by itself or on a signal; nobody drains it. */
export function keepAlive(task: Promise<unknown>): void {
  waitUntil(task.catch(() => {}))
}

/** Resolves when nothing runs in the background any more, or after `ms`. */
export async function drain(ms: number): Promise<void> {
  const deadline = new Promise<'late'>(resolve => setTimeout(resolve, ms, 'late').unref())
  while (running.size > 0) {
    if (await Promise.race([Promise.all(running), deadline]) === 'late') return
  }
}

/** A process without requests for this long is idle, ms. */
const QUIET_MS = 1000

/** Resolves once no request has come for a second. Does not keep the process alive. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    const restart = () => void timer.refresh()
    const timer = setTimeout(() => {
      unsubscribe(STARTED, restart)
      resolve()
    }, QUIET_MS).unref()
    subscribe(STARTED, restart)
  })
}

const STARTED = 'http.server.request.start'

/**
 * How long a connection may idle, ms. By itself node ends it after 5 s, perhaps while a proxy in front hands a form to
 * it, which is lost then: so the proxy has to be the one that ends it, after 60 s by default
 * (https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/config-idle-timeout.html).
 */
const IDLE_MS = 75_000

/**
 * How long a request may arrive, ms: node would end it after 5 minutes, large files or not. `readBody` and `readUpload`
 * bound the bodies that they read; this is for a body that nobody reads, and longer than anybody waits for an upload.
 */
const LONGEST_MS = 2 * 60 * 60 * 1000

/**
 * Has the server keep connections that idle or bring much; the returned function ends all of them. Nitro keeps its
 * server to itself, but its first request brings it along.
 */
export function keepConnections(): () => void {
  let server: Server | undefined
  const keep = (message: unknown) => {
    ({ server } = message as { server: Server })
    server.keepAliveTimeout = IDLE_MS
    server.requestTimeout = LONGEST_MS
    unsubscribe(STARTED, keep)
  }
  subscribe(STARTED, keep)
  return () => server?.closeAllConnections()
}
