import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { StoreFull } from '../../../ports/store'
import { boundedCall, checked, onRefusal, type RedisClient } from './client'
import { clockOf } from './clock'
import { isFull } from './refusals'

/** Timeout of a call. The ports promise less than 2 s. */
export const REDIS_TIMEOUT_MS = 1_500

/** Wait for a reconnect: longer than a healthy Redis needs, and short enough to keep a few calls in a row below 2 s. */
const RECONNECT_PATIENCE_MS = 500

/** Calls Redis for the ports, with a time limit. The first calls of a cold start wait for the connection. */
export interface Calls {
  /** Settles with the first attempt to connect. Never rejects. */
  readonly started: Promise<unknown>
  /** Rejects if Redis is unreachable or does not answer. */
  call<T>(command: () => Promise<T>): Promise<T>
  /** Runs a script with the same time limit. */
  run(script: LuaScript, keys: string[], args: readonly (string | number)[]): Promise<unknown>
  /** @param further keys and arguments after the named ones */
  runNamed<Key extends string, Arg extends string>(
    script: NamedScript<Key, Arg>, keys: Record<Key, string>, args: Record<Arg, string | number>,
    further?: { keys: readonly string[], args: readonly (string | number)[] },
  ): Promise<unknown>
}

const callsByClient = new WeakMap<RedisClient, Calls>()

/** Returns the calls of a client. All ports on it wait for the same connection. */
export function createCalls(client: RedisClient): Calls {
  const calls = callsByClient.get(client) ?? startCalls(client)
  callsByClient.set(client, calls)
  return calls
}

function startCalls(client: RedisClient): Calls {
  // Commands reject while the client is not connected, so calls of a cold start wait for the first attempt.
  const started: Promise<unknown> = client.isReady
    ? Promise.resolve()
    : once(client, 'ready').then(() => checked(client)).catch(() => { /* The command reports the reason. */ })

  // Serverless hosts freeze a process between requests. When a request wakes it, the socket has timed out and the
  // client is about to reconnect, which takes milliseconds. Without this wait, a click or form would be lost.
  let reconnection: Promise<unknown> | undefined
  const awaitReconnection = () => reconnection ??= boundedCall(once(client, 'ready'), RECONNECT_PATIENCE_MS)
    .catch(() => { /* The command reports the reason. */ }).finally(() => { reconnection = undefined })
  const awaitReady = async () => {
    if (!client.isReady) await started
    if (!client.isReady) await awaitReconnection()
  }
  const call: Calls['call'] = (command) => {
    const answer = client.isReady ? command() : awaitReady().then(command)
    return boundedCall(answer, REDIS_TIMEOUT_MS).catch((error: unknown) => {
      onRefusal(client, error)
      throw isFull(error) ? new StoreFull(error.message, { cause: error }) : error
    })
  }
  const runScript: Calls['run'] = (script, keys, args) => call(() => run(client, script, keys, args.map(String)))
  return {
    started, call, run: runScript,
    runNamed: (script, keys, args, further = { keys: [], args: [] }) => runScript(
      script,
      [...script.keys.map(key => keys[key]), ...further.keys],
      [...script.args.map(arg => args[arg]), ...further.args],
    ),
  }
}

/** A Lua script. Redis runs it as one atomic step. */
export interface LuaScript {
  source: string
  sha: string
}

/**
 * Runs a script in one round trip, or in two if this Redis has not seen it yet (first use, restart, failover). Does not
 * use node-redis' `scripts` option, which changes the client's type: the Chat SDK shares the client.
 */
export async function run(client: RedisClient, script: LuaScript, keys: string[], args: string[]): Promise<unknown> {
  const options = { keys, arguments: args }
  try {
    return await client.evalSha(script.sha, options)
  }
  catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return client.eval(script.source, options)
  }
}

/** Defines `now()`, the time of Redis in ms. It is the one clock of all replicas, whose own clocks differ. */
export const NOW = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/** Postpones the due ids, so that nobody else gets them, and returns [the time, id, id, …]. */
const LEASE = script(`${NOW}
local at = now()
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', at, 'LIMIT', 0, ARGV[2])
for _, id in ipairs(found) do redis.call('ZADD', KEYS[1], at + ARGV[1], id) end
table.insert(found, 1, at)
return found
`)

/** Runs `LEASE` on an index, and updates the clock with the time in the answer. */
export async function lease(client: RedisClient, due: string, leaseMs: number, limit: number): Promise<string[]> {
  const clock = clockOf(client)
  const askedAt = clock.asked()
  const [time, ...ids] = await run(client, LEASE, [due], [String(leaseMs), String(limit)]) as [number, ...string[]]
  clock.observe(time, askedAt)
  return ids
}

export function script(source: string): LuaScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** A script with named keys and arguments. More may follow them, for example a pair for each of several rooms. */
export interface NamedScript<Key extends string, Arg extends string> extends LuaScript {
  keys: readonly Key[]
  args: readonly Arg[]
}

/** Creates a script in which each name is a local. Further KEYS and ARGV start after `keysNamed` and `argsNamed`. */
export function namedScript<const Key extends string, const Arg extends string>(
  keys: readonly Key[], args: readonly Arg[], source: string,
): NamedScript<Key, Arg> {
  const locals = `
local ${keys.join(', ')} = unpack(KEYS)
local ${args.join(', ')} = unpack(ARGV)
local keysNamed, argsNamed = ${keys.length}, ${args.length}
`
  return { ...script(locals + source), keys, args }
}
