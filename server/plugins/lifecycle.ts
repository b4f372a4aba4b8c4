import { defineNitroPlugin } from 'nitropack/runtime'
import { useLog, useServices } from '../app'
import { ConfigError } from '../config'
import { background, drain, idle, keepConnections } from '../http/background'
import { onUnexpectedError } from '../http/errors'

/** Max wait after SIGTERM for requests, then for background work, ms: less than 15 s in all (docs/deploy.md). */
const REQUESTS_MS = 4000
const DRAIN_MS = 8000

/** Max wait of a parent process that asks by IPC if everything has settled, ms, in case something hangs. */
const SETTLE_MS = 60_000

const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Something else listens on this port: stop it, or set another PORT.',
  EACCES: 'This user may not listen on this port: set a PORT from 1024 on.',
  EADDRNOTAVAIL: 'This machine does not have this address: change HOST, or leave it out.',
}

/** Checks the configuration and sweeps for due work at the start. Finishes work and closes the store at the end. */
export default defineNitroPlugin((nitro) => {
  // A log pipe that nobody reads (EPIPE) would cause an uncaught exception, which Nitro logs, and so on for ever.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const services = startOrExit()
  const { config, log, operations, sweep, sandbox, opsSubmissions, listeners, stopQueues, load, close } = services
  log.info('service.started', operations.about)
  for (const reason of services.missing) log.warn('config.incomplete', { reason })
  for (const line of services.decides) log.info('config.decides', { line })
  const endConnections = keepConnections()
  onUnexpectedError(error => log.error('request.failed', { error }))
  // Nitro only logs this and goes on, which leaves a process that nobody can reach and nobody restarts.
  process.on('uncaughtException', (error: NodeJS.ErrnoException & { hostname?: string }) => {
    const isUnknown = error.syscall === 'getaddrinfo' && error.hostname === config.host
    if (error.syscall !== 'listen' && error.code !== 'ERR_SOCKET_BAD_PORT' && !isUnknown) return
    const setting = isUnknown || error.code === 'EADDRNOTAVAIL' ? 'HOST' : 'PORT'
    log.error('listen.failed', { error, setting, advice: LISTEN_ADVICE[error.code ?? ''] ?? `Change ${setting}.` })
    process.exit(1)
  })
  let sweeping: Promise<unknown> | null = null
  let isFailing = false
  const tick = () => {
    sweeping ??= sweep().then(() => { isFailing = false }, (error) => {
      // Log once, however long an outage takes: there is a sweep every few seconds.
      if (!isFailing) log.warn('sweep.failed', { error })
      isFailing = true
    }).finally(() => { sweeping = null })
    background(sweeping)
  }
  const timer = config.serverless ? undefined : setInterval(tick, config.retry.sweepIntervalMs)

  if (!config.serverless) void idle().then(() => background(loadForClicks(load)))
  // Nobody waits for this: the service listens first.
  if (!config.serverless) setTimeout(() => void operations.introduce()).unref()
  if (!config.serverless) for (const listener of listeners) void listener.keepListening()

  const beginNothing = () => {
    clearInterval(timer)
    sandbox?.rooms.close()
    opsSubmissions.feed.close()
    stopQueues()
    return Promise.all(listeners.map(listener => listener.stop()))
  }
  // Hand over at once: Nitro waits for all requests to end, and the host would kill the process during a slow one.
  const leave = (signal: string) => {
    log.info('service.stopping', { signal })
    background(beginNothing())
    setTimeout(endConnections, REQUESTS_MS).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, leave)
  nitro.hooks.hook('close', async () => {
    const late = new Promise(resolve => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([Promise.all([beginNothing(), drain(DRAIN_MS)]), late])
    await close()
    log.info('service.stopped')
  })

  // A parent with an IPC channel (a test, a process manager) may ask when everything has settled.
  if (process.send) process.on(
    'message', message => message === 'drain' && drain(SETTLE_MS).then(() => process.send?.('drained')),
  )
})

/** Loads the modules that the first click needs. Node loads its own `Response` on first use. */
function loadForClicks(load: () => Promise<unknown>) {
  return Promise.all([load(), import('../api/webhooks/[platform].post'), Response])
}

function startOrExit() {
  const log = useLog()
  try {
    const services = useServices()
    // In a trial, users are at this machine, unless HOST says otherwise.
    if (services.sandbox && !services.config.production && !services.config.host) process.env.HOST = '127.0.0.1'
    return services
  }
  catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (process.stderr.isTTY) process.stderr.write(`\n${error.message}\n\n`)
    else {
      log.error('config.invalid', { message: error.summary })
      for (const problem of error.problems) log.error('config.problem', { problem })
    }
    process.exit(1)
  }
}
