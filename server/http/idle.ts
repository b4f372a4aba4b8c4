import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const STARTED = 'http.server.request.start'

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
