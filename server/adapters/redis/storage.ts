import { createStorage, type Storage } from 'unstorage'
import { createCalls, script } from './connection/calls'
import type { RedisClient } from './connection/client'

/** Groups whose keys are listed. Each is a hash: looking for keys in all of Redis would take too long. */
const LISTED = ['health', 'incident']

/**
 * Replaces a value if it is still the one before; '' stands for no value. KEYS the key. ARGV its field if it is a hash,
 * or ''; the value before; the new one. Earlier versions kept each installation as a hash, which is not compared.
 */
const SWAP = script(`
local field, before, after = unpack(ARGV)
local isEarlier = field == '' and redis.call('TYPE', KEYS[1]).ok == 'hash'
local value
if field ~= '' then value = redis.call('HGET', KEYS[1], field)
elseif not isEarlier then value = redis.call('GET', KEYS[1]) end
if isEarlier and before == '' or not isEarlier and (value or '') ~= before then return 0 end
if field ~= '' and after == '' then redis.call('HDEL', KEYS[1], field)
elseif field ~= '' then redis.call('HSET', KEYS[1], field, after)
elseif after == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], after) end
return 1
`)

/** Returns where a value is: under a key, or in a field of a hash. */
export function fieldOf(key: string): { name: string, field: string } {
  const [group, ...rest] = key.split(':')
  return LISTED.includes(group!)
    ? { name: `{triage}:${group}`, field: rest.join(':') }
    : { name: `{triage}:${key}`, field: '' }
}

/** Reads a value that is no field; one that an earlier version kept as a hash, as JSON. */
export async function textAt(client: RedisClient, name: string): Promise<string | null> {
  try {
    return await client.get(name)
  }
  catch (error) {
    if (!(error instanceof Error && error.message.startsWith('WRONGTYPE'))) throw error
    return JSON.stringify(await client.hGetAll(name))
  }
}

/** Small values in Redis, over the process's one connection. `setItem` has the option `ttl`, s, except for hashes. */
export function createRedisStorage(client: RedisClient) {
  const { call, run } = createCalls(client)

  const getItem = (key: string) => {
    const { name, field } = fieldOf(key)
    return call(() => field ? client.hGet(name, field) : textAt(client, name))
  }
  const storage: Storage = createStorage({ driver: {
    name: 'redis',
    getItem,
    hasItem: async key => await getItem(key) !== null,
    setItem: async (key, value, { ttl }: { ttl?: number } = {}) => {
      const { name, field } = fieldOf(key)
      await call<unknown>(() => field
        ? client.hSet(name, field, value)
        : client.set(name, value, ttl === undefined ? {} : { EX: ttl }))
    },
    removeItem: async (key) => {
      const { name, field } = fieldOf(key)
      await call(() => field ? client.hDel(name, field) : client.del(name))
    },
    getKeys: async (base) => {
      const group = LISTED.find(listed => base === `${listed}:`)
      if (!group) throw new Error(`The keys of ${base} are not listed.`)
      return (await call(() => client.hKeys(`{triage}:${group}`))).map(field => base + field)
    },
  } })
  return Object.assign(storage, {
    /** Replaces a value if it is still `before`; null stands for no value. */
    swap: async (key: string, before: string | null, after: string | null) => {
      const { name, field } = fieldOf(key)
      return await run(SWAP, [name], [field, before ?? '', after ?? '']) === 1
    },
  })
}
