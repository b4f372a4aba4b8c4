import { AsyncLocalStorage } from 'node:async_hooks'
import { createClient, type RedisClientType } from 'redis'
import { withTimeout } from '../../../../shared/utils/time'
import type { Log } from '../../../ports/runtime'
import { clockOf } from './clock'
import { changesChannel } from '../store/record'
import { connectionLine, isOfThisNode, refusalLine } from './refusals'
import { evicts, isTooOld, OLDEST_REDIS, serverInfo, type ServerInfo } from './server-info'

/** Type that `@chat-adapter/state-redis` takes as `client`, so that one connection serves both. */
export type RedisClient = RedisClientType

const CONNECT_TIMEOUT_MS = 5_000
const PING_EVERY_MS = 5_000
/** Shorter than the interval, so that two pings never overlap. */
const PING_TIMEOUT_MS = 4_000
/** Longer than the interval, so that only a socket without any traffic, e.g. a stuck handshake, reaches it. */
const IDLE_TIMEOUT_MS = 10_000
const MAX_BACKOFF_MS = 2_000
const PROBE = '{triage}:probe'
/** Probe keys in the style of the Chat SDK, without a hash tag. In a cluster, this many reach all nodes. */
const CHAT_PROBES = Array.from({ length: 8 }, (_, index) => `chat-sdk:probe:${index}`)
const PROBE_TTL_MS = 1_000
/** Writes a hash, a list and a sorted set, as our scripts do. A Redis user may lack permission for any of them. */
const WRITES = `
for _, write in ipairs({ {'HSET', 'a', 1}, {'RPUSH', 1}, {'ZADD', 1, 'a'} }) do
  redis.call(write[1], KEYS[1], unpack(write, 2))
  redis.call('DEL', KEYS[1])
end
`
/** Clock difference from which this machine's clock is logged as wrong, ms. */
const CLOCK_TOLERANCE_MS = 1_000

/** Names of connections, by which a copy sees that a service, or another copy, uses this Redis. */
const SERVICE_NAME = 'form-triage'
export const COPY_NAME = `${SERVICE_NAME}-copy`
export const isOurConnection = (name: string) => name.startsWith(SERVICE_NAME)

/** Exists while a copy fills this Redis, and afterwards if that failed. */
export const COPYING = '{triage}:copying'
const HALF_COPY = 'Redis has only half of a copy, or one that has not ended. Repeat: npm run store -- copy (docs/deploy.md).'

/** Redis accepted the connection but did not answer in time. */
class NoAnswer extends Error {
  constructor(ms: number) {
    super(`Redis did not answer within ${ms} ms`)
    this.name = 'NoAnswer'
  }
}

/**
 * Creates the process's one connection to Redis. Returns at once and connects in the background, for ever. While Redis
 * is unreachable, commands reject at once instead of queueing.
 *
 * @param url `redis://` or `rediss://`; throws if it is not a URL
 */
export function createRedis(url: string, log: Log): RedisClient {
  const client: RedisClient = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      // Set explicitly, because the default gives up for good after a socket timeout.
      reconnectStrategy: pauseMs,
    },
  })
  const outage = trackOutages(log)
  const isSeeking = seekWriter(client, outage)
  let isOpen = false
  let wasReady = false
  client.on('connect', () => { isOpen = true })
  client.on('error', (error: Error & { code?: string }) => {
    const line = refusalLine(error) ?? (wasReady ? null : connectionLine(error, url.startsWith('rediss:'), isOpen))
    if (line) connectionProblems.set(client, line)
    isOpen = false
    // An AggregateError (a name with several addresses) has no message.
    outage.begin(line ?? (error.message || error.code))
  })
  client.on('ready', () => {
    wasReady = true
    connectionProblems.delete(client)
    if (!isSeeking()) outage.end()
    checkedClients.set(client, refuseHalfCopy(client, log).catch(() => { /* Disconnected again. */ }))
    greet(client, log).catch(() => { /* Disconnected again; the next connection retries. */ })
  })
  client.connect().catch(() => { /* The 'error' listener gets it. */ })
  replaceDeadSocket(client)
  return client
}

/** Returns `promise`, or a `NoAnswer` after `ms`. A command on a half-open socket would otherwise wait for minutes. */
export function boundedCall<T>(promise: Promise<T>, ms: number): Promise<T> {
  return withTimeout(ms, promise, () => new NoAnswer(ms))
}

/** Logs one line when an outage begins, however many attempts follow, and one when it ends. */
function trackOutages(log: Log) {
  let isDown = false
  return {
    begin(reason: string | undefined) {
      if (!isDown) log.error('redis.unreachable', { reason, setting: 'STORE_URL' })
      isDown = true
    },
    end() {
      if (isDown) log.info('redis.reachable')
      isDown = false
    },
  }
}

/** Prepares a new connection before other use: reads the time, and checks version and settings of the server. */
async function greet(client: RedisClient, log: Log): Promise<void> {
  const [info] = await Promise.all([
    serverInfo(client).catch((): ServerInfo => ({})), measure(client),
    // A user of Redis may lack the permission. Then a copy refuses, too.
    client.clientSetName(SERVICE_NAME).catch(() => {}),
  ])
  if (isTooOld(info)) log.error('redis.too-old', { version: info.version, needed: OLDEST_REDIS, setting: 'STORE_URL' })
  if (evicts(info)) log.error('redis.evicts', { policy: info.eviction, needed: 'noeviction', setting: 'STORE_URL' })
  const { aheadMs } = clockOf(client)
  const advice = 'The service uses the clock of Redis. Set the clock of this machine by NTP.'
  if (Math.abs(aheadMs) > CLOCK_TOLERANCE_MS) log.warn('clock.off', { aheadMs, of: 'Redis', advice })
}

const checkedClients = new WeakMap<RedisClient, Promise<void>>()

/** Waits until a new connection is found to lead to a whole store. If not, the client is closed. */
export async function checked(client: RedisClient): Promise<void> {
  await checkedClients.get(client)
}

async function refuseHalfCopy(client: RedisClient, log: Log): Promise<void> {
  if (await client.exists(COPYING) === 0) return
  connectionProblems.set(client, HALF_COPY)
  log.error('redis.half-copy', { advice: HALF_COPY, setting: 'STORE_URL' })
  client.destroy()
}

async function measure(client: RedisClient): Promise<void> {
  const clock = clockOf(client)
  const askedAt = clock.asked()
  const [seconds, microseconds] = await client.time()
  clock.observe(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000), askedAt)
}

/**
 * Replaces a socket whose other end has vanished. The socket stays "ready", and under load every write restarts its
 * idle timer, so `pingInterval` with `socketTimeout` would not detect this. Only an unanswered command does. The
 * command asks for the time, which also keeps the clock right.
 */
function replaceDeadSocket(client: RedisClient): void {
  const timer = setInterval(() => {
    if (!client.isOpen) return clearInterval(timer)
    if (!client.isReady) return
    const socket = client.socketEpoch
    boundedCall(measure(client), PING_TIMEOUT_MS).catch((error: unknown) => {
      const isDead = error instanceof NoAnswer && client.isReady && client.socketEpoch === socket
      if (!isDead) return
      client.emit('error', error)
      connectAnew(client)
    })
  }, PING_EVERY_MS)
  timer.unref()
}

/** Reconnects. This resolves the host name again, which may lead to another node by now. */
function connectAnew(client: RedisClient): void {
  client.destroy()
  client.connect().catch(() => { /* The 'error' listener gets it. */ })
}

const connectionProblems = new WeakMap<RedisClient, string>()

/** Returns the reason, for people, why there is no connection; undefined if it is unknown. */
export function whyUnconnected(client: RedisClient): string | undefined {
  return connectionProblems.get(client)
}

interface Seeker {
  /** Reason why writes are refused, for as long as they are. */
  reason: unknown
  begin: (reason: unknown) => void
}

const seekers = new WeakMap<RedisClient, Seeker>()

/** Reports an error of a call. If Redis refuses commands, logs the reason, and later the end. Returns at once. */
export function onRefusal(client: RedisClient, error: unknown): void {
  if (refusalLine(error)) seekers.get(client)?.begin(error)
}

/** Returns the reason for which Redis refuses commands, or undefined if it does not. */
export function refusedBefore(client: RedisClient): unknown {
  return seekers.get(client)?.reason
}

/**
 * Tries to write, with pauses, until a write succeeds. If another node may accept the write, reconnects each time:
 * after a failover the old node may be a replica.
 */
function seekWriter(client: RedisClient, outage: ReturnType<typeof trackOutages>): () => boolean {
  const seek = async () => {
    outage.begin(refusalLine(seeker.reason) ?? undefined)
    for (let attempt = 0; client.isOpen && seeker.reason !== undefined; attempt++) {
      // A client that is not ready reconnects by itself.
      if (client.isReady && isOfThisNode(seeker.reason)) connectAnew(client)
      await new Promise(resolve => setTimeout(resolve, pauseMs(attempt)).unref())
      if (!client.isReady) continue
      const { reason } = seeker
      const writeAttempt = boundedCall(tryWrite(client), PING_TIMEOUT_MS)
      seeker.reason = await writeAttempt.catch((error: unknown) => refusalLine(error) ? error : reason)
    }
  }
  // Outages and reconnects belong to no request, even if a request detects them first.
  const runDetached = AsyncLocalStorage.snapshot()
  const seeker: Seeker = {
    reason: undefined,
    begin(reason) {
      if (seeker.reason !== undefined) return
      seeker.reason = reason
      void runDetached(() => seek().finally(() => {
        seeker.reason = undefined
        if (client.isReady) outage.end()
      }))
    },
  }
  seekers.set(client, seeker)
  return () => seeker.reason !== undefined
}

/** Tests that this node accepts every kind of key, a script and an announcement. Leaves nothing behind. */
export async function tryWrite(client: RedisClient): Promise<void> {
  await Promise.all([
    client.eval(WRITES, { keys: [`${PROBE}:script`] }),
    client.set(PROBE, '1', { PX: PROBE_TTL_MS }),
    ...CHAT_PROBES.flatMap(key => [client.set(key, '1', { PX: PROBE_TTL_MS }), client.del(key)]),
    client.publish(changesChannel(client), ''),
  ])
}

/** Returns a pause that grows, to spare the server, and varies, so that replicas do not retry at the same time. */
function pauseMs(attempt: number): number {
  return Math.min(50 * 2 ** attempt, MAX_BACKOFF_MS) + Math.floor(Math.random() * 100)
}
