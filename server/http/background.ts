import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { waitUntil } from '@vercel/functions'

const runningTasks = new Set<Promise<unknown>>()

/** Lets work continue after the answer, and tracks it until it ends. */
export function background(task: Promise<unknown>): void {
  const tracked: Promise<unknown> = task.catch(() => {}).finally(() => runningTasks.delete(tracked))
  runningTasks.add(tracked)
  // On Vercel only this keeps the function alive after the answer: nitro's own event.waitUntil has no effect there.
  waitUntil(tracked)
}

/** Keeps the function instance alive for a task that ends by itself or on a signal; `drain` does not wait for it. */
export function keepAlive(task: Promise<unknown>): void {
  waitUntil(task.catch(() => {}))
}

/** Resolves when all background work has ended, or after `ms`. */
export async function drain(ms: number): Promise<void> {
  const deadline = new Promise<'late'>(resolve => setTimeout(resolve, ms, 'late').unref())
  while (runningTasks.size > 0) {
    if (await Promise.race([Promise.all(runningTasks), deadline]) === 'late') return
  }
}

/** Time without requests after which a process is idle, ms */
const QUIET_MS = 1000

/** Resolves once no request has come for a second. Does not keep the process alive. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    const restart = () => void timer.refresh()
    const timer = setTimeout(() => {
      unsubscribe(REQUEST_STARTED, restart)
      resolve()
    }, QUIET_MS).unref()
    subscribe(REQUEST_STARTED, restart)
  })
}

const REQUEST_STARTED = 'http.server.request.start'

/**
 * Max idle time of a connection, ms. Node's default is 5 s: it may close just as a proxy in front sends a form, which
 * is then lost. So the proxy has to close first; its default is 60 s
 * (https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/config-idle-timeout.html).
 */
const IDLE_MS = 75_000

/**
 * Max time for a request to arrive, ms; node's default is 5 minutes, even for large files. `readBody` and `readUpload`
 * limit the bodies that they read. This limit is for bodies that no route reads; no upload should take this long.
 */
const LONGEST_MS = 2 * 60 * 60 * 1000

/**
 * Raises the server's limits for idle connections and long requests; the returned function closes all connections.
 * Nitro does not expose its server, but the first request refers to it.
 */
export function keepConnections(): () => void {
  let server: Server | undefined
  const extendTimeouts = (message: unknown) => {
    ({ server } = message as { server: Server })
    server.keepAliveTimeout = IDLE_MS
    server.requestTimeout = LONGEST_MS
    unsubscribe(REQUEST_STARTED, extendTimeouts)
  }
  subscribe(REQUEST_STARTED, extendTimeouts)
  return () => server?.closeAllConnections()
}
