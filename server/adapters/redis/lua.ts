import { createHash } from 'node:crypto'
import type { RedisClientType as RedisClient } from 'redis'
import { clockOf } from './clock'

/** A Lua script; Redis runs it as one atomic step. */
export interface Script {
  source: string
  sha: string
}

/**
 * Runs a script in one round trip; in two when this Redis has not seen it yet (first use, restart, failover).
 * Not node-redis' `scripts` option: that changes the client's type, and the Chat SDK shares the client.
 */
export async function run(client: RedisClient, script: Script, keys: string[], args: string[]): Promise<unknown> {
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

export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** A script that is given so many things that each has a name. Others may follow them, e.g. for each of some rooms. */
export interface NamedScript<Key extends string, Arg extends string> extends Script {
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
