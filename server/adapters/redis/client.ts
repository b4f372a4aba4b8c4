import { createClient, type RedisClientType } from 'redis'
import type { Log } from '../../ports/runtime'

/** The type that `@chat-adapter/state-redis` takes as `client`: one connection serves both. */
export type RedisClient = RedisClientType

const CONNECT_TIMEOUT_MS = 5_000
const PING_EVERY_MS = 5_000
/** Shorter than the interval, so that two pings never overlap. */
const PING_TIMEOUT_MS = 4_000
/** Longer than the interval, so that only a socket on which nothing moves, e.g. a stuck handshake, runs into it. */
const IDLE_TIMEOUT_MS = 10_000
const MAX_BACKOFF_MS = 2_000

/** Redis took the connection but did not answer in time. */
class NoAnswer extends Error {
  constructor(ms: number) {
    super(`Redis did not answer within ${ms} ms`)
    this.name = 'NoAnswer'
  }
}

/**
 * The process's one connection to Redis. Returns at once and connects in the background, for ever:
 * while Redis is away, commands reject at once instead of queueing.
 *
 * @param url `redis://` or `rediss://`; throws when it is not a URL
 */
export function createRedis(url: string, log: Log): RedisClient {
  const client: RedisClient = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      // Written out because the default gives up for good after a socket time-out.
      reconnectStrategy: retries => Math.min(50 * 2 ** retries, MAX_BACKOFF_MS) + Math.floor(Math.random() * 100),
    },
  })
  logOutages(client, log)
  client.connect().catch(() => { /* The 'error' listener has it. */ })
  replaceDeadSocket(client)
  return client
}

/** `promise`, or a `NoAnswer` after `ms`: a command on a half-open socket would otherwise wait for minutes. */
export function bounded<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoAnswer(ms)), ms)
    const settle = <R>(end: (result: R) => void) => (result: R) => {
      clearTimeout(timer)
      end(result)
    }
    promise.then(settle(resolve), settle(reject))
  })
}

/** The client emits one error per attempt; people need one line per outage. */
function logOutages(client: RedisClient, log: Log): void {
  let down = false
  client.on('error', (error: Error & { code?: string }) => {
    if (down) return
    down = true
    // An AggregateError (a name with several addresses) has no message.
    log.error('redis.unreachable', { reason: error.message || error.code, setting: 'STORE_URL' })
  })
  client.on('ready', () => {
    if (down) log.info('redis.reachable')
    down = false
  })
}

/**
 * A socket whose other end vanished without a word stays "ready", and under load every write restarts its idle timer
 * (so `pingInterval` with `socketTimeout` would not notice): only an unanswered PING tells.
 */
function replaceDeadSocket(client: RedisClient): void {
  const timer = setInterval(() => {
    if (!client.isOpen) return clearInterval(timer)
    if (!client.isReady) return
    const socket = client.socketEpoch
    bounded(client.ping(), PING_TIMEOUT_MS).catch((error: unknown) => {
      const dead = error instanceof NoAnswer && client.isReady && client.socketEpoch === socket
      if (!dead) return
      client.emit('error', error)
      client.destroy()
      client.connect().catch(() => { /* The 'error' listener has it. */ })
    })
  }, PING_EVERY_MS)
  timer.unref()
}
