import { createClient, type RedisClientType } from 'redis'

/** Returns the Redis keys whose name or value contains the text. */
export async function holding(url: string, text: string): Promise<string[]> {
  const redis: RedisClientType = createClient({ url })
  await redis.connect()
  const found: string[] = []
  for (const key of await redis.keys('*')) {
    if (`${key} ${JSON.stringify(await valueOf(redis, key))}`.includes(text)) found.push(key)
  }
  redis.destroy()
  return found
}

async function valueOf(redis: RedisClientType, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string': return redis.get(key)
    case 'hash': return redis.hGetAll(key)
    case 'list': return redis.lRange(key, 0, -1)
    case 'set': return redis.sMembers(key)
    case 'zset': return redis.zRange(key, 0, -1)
    case 'none': return null
    default: throw new TypeError(`${key} is of a type that this test cannot read`)
  }
}
