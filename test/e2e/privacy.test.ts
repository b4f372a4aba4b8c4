import { createClient, type RedisClientType } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { click, deploy, openEdit, submit, submitEdit, type Deployment } from '../support/deployment'

let d: Deployment
let redis: RedisClientType
beforeAll(async () => {
  d = await deploy()
  redis = createClient({ url: d.redis.url })
  await redis.connect()
})
afterAll(async () => {
  redis.destroy()
  await d.close()
})

const FORM = { 'unique-field-name': 'unique-field-value', 'other': 'x' }

describe('what Redis holds of a form', () => {
  it('is one key, also while its edit form is open, and nothing once it is spam', async () => {
    const { id, card } = await submit(d, FORM)
    await openEdit(d, card, id)
    expect(await holding('unique-field')).toEqual([`{triage}:d:${id}`])
    await click(d, card, 'spam', id)
    expect(await holding('unique-field')).toEqual([])
  })

  it('is nothing once it is forwarded, edited or not', async () => {
    const { id, card } = await submit(d, FORM)
    await submitEdit(d, await openEdit(d, card, id), { f0: 'unique-field-edited' })
    expect(await holding('unique-field')).toEqual([])
  })
})

/** Keys of Redis whose name or value holds the text. */
async function holding(text: string): Promise<string[]> {
  const found: string[] = []
  for (const key of await redis.keys('*')) {
    if (`${key} ${JSON.stringify(await valueOf(key))}`.includes(text)) found.push(key)
  }
  return found
}

async function valueOf(key: string): Promise<unknown> {
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
