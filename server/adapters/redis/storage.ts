import { createStorage, type Storage } from 'unstorage'
import { createCalls, NOW, script } from './connection/calls'
import type { RedisClient } from './connection/client'

/** One hash: looking for keys in all of Redis would take too long. A value is its end, a space, and its text. */
export const SMALL = '{triage}:small'

/** KEYS hash. ARGV key, value, time to keep it, ms ('' for ever), '1' to keep a value that is there. */
const SET = script(`${NOW}
local function isOver(stored)
  local ends = tonumber(string.match(stored, '^%d+'))
  return ends ~= nil and ends <= now()
end
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[4] == '1' and stored and not isOver(stored) then return end
local ends = ARGV[3] == '' and '' or string.format('%d', now() + ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1], ends .. ' ' .. ARGV[2])
if ends == '' then return end
for _, key in ipairs(redis.call('HKEYS', KEYS[1])) do
  if isOver(redis.call('HGET', KEYS[1], key)) then redis.call('HDEL', KEYS[1], key) end
end
`)

/** KEYS hash. ARGV beginning of the keys to return; or, with a second argument, the key whose value to return. */
const GET = script(`${NOW}
local function isThere(stored)
  local ends = stored and tonumber(string.match(stored, '^%d+'))
  return stored and (ends == nil or ends > now())
end
if ARGV[2] then
  local stored = redis.call('HGET', KEYS[1], ARGV[1])
  return isThere(stored) and string.match(stored, '^%d* (.*)$') or nil
end
local found = {}
for _, key in ipairs(redis.call('HKEYS', KEYS[1])) do
  local isMeant = string.sub(key, 1, #ARGV[1]) == ARGV[1]
  if isMeant and isThere(redis.call('HGET', KEYS[1], key)) then table.insert(found, key) end
end
return found
`)

/**
 * Small values in Redis, over the process's one connection. Options of `setItem`: `ttl`, s; `ifAbsent` keeps a value
 * that is there.
 */
export function createRedisStorage(client: RedisClient): Storage {
  const { call, run } = createCalls(client)
  const getItem = async (key: string) => await run(GET, [SMALL], [key, '1']) as string | null ?? earlierValue(key)

  /** Reads a value from the key in which versions before 29 November 2026 kept it: a text, or a hash. */
  async function earlierValue(key: string): Promise<string | null> {
    const earlierKey = `{triage}:${key}`
    if (key === 'id') return call(() => client.get(earlierKey))
    if (!key.startsWith('installation:')) return null
    const fields = await call(() => client.hGetAll(earlierKey))
    return Object.keys(fields).length > 0 ? JSON.stringify(fields) : null
  }

  return createStorage({ driver: {
    name: 'redis',
    getItem,
    hasItem: async key => await getItem(key) !== null,
    setItem: async (key, value, { ttl, ifAbsent }: { ttl?: number, ifAbsent?: boolean } = {}) => {
      await run(SET, [SMALL], [key, value, ttl === undefined ? '' : ttl * 1000, ifAbsent ? '1' : ''])
    },
    removeItem: async (key) => {
      await call(() => Promise.all([client.hDel(SMALL, key), client.del(`{triage}:${key}`)]))
    },
    getKeys: async base => await run(GET, [SMALL], [base]) as string[],
  } })
}
