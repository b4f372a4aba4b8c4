import { createClient } from 'redis'

/** Returns the content of Redis as text, by key. */
export async function everythingIn(url: string): Promise<Map<string, string>> {
  const client = await createClient({ url }).connect()
  const valueOf = async (key: string): Promise<unknown> => {
    switch (await client.type(key)) {
      case 'string': return client.get(key)
      case 'hash': return client.hGetAll(key)
      case 'list': return client.lRange(key, 0, -1)
      case 'set': return client.sMembers(key)
      case 'zset': return client.zRange(key, 0, -1)
      case 'none': return null
      default: throw new TypeError(`${key} is of a type that this test cannot read`)
    }
  }
  const values = new Map<string, string>()
  for (const key of await client.keys('*')) {
    const value = await valueOf(key)
    values.set(key, typeof value === 'string' ? value : JSON.stringify(value))
  }
  client.destroy()
  return values
}

/** Returns the Redis keys with this text in their name or value. */
export async function holding(url: string, text: string): Promise<string[]> {
  return [...await everythingIn(url)].filter(pair => pair.join(' ').includes(text)).map(([key]) => key)
}
