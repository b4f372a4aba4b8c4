import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { StoreFull } from '../../../ports/store'
import { boundedCall, onRefusal, type RedisClient } from './client'
import { clockOf } from './clock'
import { isFull } from './refusals'

/** The ports promise less than 2 s. */
export const REDIS_TIMEOUT_MS = 1_500

/** Longer than a connection to a healthy Redis takes, and short enough for a few calls in a row to stay below 2 s. */
const RECONNECT_PATIENCE_MS = 500

/** How ports call Redis: bounded in time, and the first calls of a cold start wait for the connection. */
export interface Calls {
  /** Settles with the first attempt to connect; never rejects. */
  readonly started: Promise<unknown>
  /** Rejects when Redis is away or silent. */
  call<T>(command: () => Promise<T>): Promise<T>
  /** The same for a script. */
  run(script: LuaScript, keys: string[], args: readonly (string | number)[]): Promise<unknown>
  /** @param further what follows those that have names */
  runNamed<Key extends string, Arg extends string>(
    script: NamedScript<Key, Arg>, keys: Record<Key, string>, args: Record<Arg, string | number>,
    further?: { keys: readonly string[], args: readonly (string | number)[] },
  ): Promise<unknown>
}

const known = new WeakMap<RedisClient, Calls>()

/** The calls of a client: all ports on it wait for the same connection. */
export function createCalls(client: RedisClient): Calls {
  const calls = known.get(client) ?? startCalls(client)
  known.set(client, calls)
  return calls
}

function startCalls(client: RedisClient): Calls {
  // Commands reject while the client is not connected; the first request of a cold start waits for the first attempt.
  const started: Promise<unknown> = client.isReady
    ? Promise.resolve()
    : once(client, 'ready').catch(() => { /* The command says why. */ })

  // Serverless hosts freeze a process between requests. The request that wakes it finds a socket that timed out long
  // ago and a client that is about to replace it: that takes milliseconds, and a click or form would be lost without
  // them.
  let returning: Promise<unknown> | undefined
  const reconnected = () => returning ??= boundedCall(once(client, 'ready'), RECONNECT_PATIENCE_MS)
    .catch(() => { /* The command says why. */ }).finally(() => { returning = undefined })
  const ready = async () => {
    if (!client.isReady) await started
    if (!client.isReady) await reconnected()
  }
  const call: Calls['call'] = (command) => {
    const answer = client.isReady ? command() : ready().then(command)
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

/** A Lua script; Redis runs it as one atomic step. */
export interface LuaScript {
  source: string
  sha: string
}

/**
 * Runs a script in one round trip; in two when this Redis has not seen it yet (first use, restart, failover).
 * Not node-redis' `scripts` option: that changes the client's type, and the Chat SDK shares the client.
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

/** The time of Redis in ms: the one clock of all replicas, whose own ones differ. */
export const NOW = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/**
 * Hands out what is due and puts it off, so that nobody else is handed it: [the time, id, id, …].
 *
 * KEYS due. ARGV lease, limit.
 */
const LEASE = script(`${NOW}
local at = now()
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', at, 'LIMIT', 0, ARGV[2])
for _, id in ipairs(found) do redis.call('ZADD', KEYS[1], at + ARGV[1], id) end
table.insert(found, 1, at)
return found
`)

/** Runs `LEASE` on an index, and learns what time it is. */
export async function lease(client: RedisClient, due: string, leaseMs: number, limit: number): Promise<string[]> {
  const clock = clockOf(client)
  const asked = clock.asked()
  const [time, ...ids] = await run(client, LEASE, [due], [String(leaseMs), String(limit)]) as [number, ...string[]]
  clock.observe(time, asked)
  return ids
}

export function script(source: string): LuaScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** A script that is given so many things that each has a name. Others may follow them, e.g. for each of some rooms. */
export interface NamedScript<Key extends string, Arg extends string> extends LuaScript {
  keys: readonly Key[]
  args: readonly Arg[]
}

/** In its source each name is a local, and KEYS and ARGV go on behind `keysNamed` and `argsNamed`. */
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
