import { expect, test } from 'vitest'
import { createUpdates } from '../../support/telegram-updates'

const ALLOWED = ['message', 'callback_query']

/** A bot with three messages that wait, of which the first has the id 1. */
function withUpdates() {
  const updates = createUpdates()
  const call = async (method: string, params: object = {}) => {
    const response = await updates.handle(method, params)
    const { result, description } = await response!.json() as { result?: unknown, description?: string }
    const ids = Array.isArray(result) ? result.map(({ update_id: id }: { update_id: number }) => id) : result
    return { status: response!.status, ids, description }
  }
  for (const id of [1, 2, 3]) updates.add({ update_id: id, message: {} })
  return { updates, call }
}

test('an update comes again until a request has a higher offset', async () => {
  const { updates, call } = withUpdates()
  for (const limit of [2, 2]) expect((await call('getUpdates', { limit })).ids).toEqual([1, 2])
  expect((await call('getUpdates', { offset: 3 })).ids).toEqual([3])
  expect(updates.waiting()).toHaveLength(1)
  expect((await call('getUpdates', { offset: 4 })).ids).toEqual([])
  expect(updates.waiting()).toEqual([])
})

test('a request is held until there is an update of an allowed type', async () => {
  const { updates, call } = withUpdates()
  const held = call('getUpdates', { offset: 4, timeout: 50, allowed_updates: ALLOWED })
  updates.add({ update_id: 4, message_reaction: {} })
  updates.add({ update_id: 5, callback_query: {} })
  expect((await held).ids).toEqual([5])
})

test('a second request ends the first, and a webhook ends both', async () => {
  const { call } = withUpdates()
  const [first, second] = [1, 2].map(() => call('getUpdates', { offset: 4, timeout: 50 }))
  expect(await first).toMatchObject({ status: 409, description: expect.stringContaining('other getUpdates') as string })
  await call('setWebhook', { url: 'https://forms.example.com' })
  expect(await second).toMatchObject({ status: 409 })
  const { status, description } = await call('getUpdates')
  expect([status, description]).toEqual([409, expect.stringContaining('webhook is active')])
  await call('deleteWebhook')
  expect(await call('getUpdates')).toMatchObject({ status: 200 })
})

test('updates that wait are dropped only on demand', async () => {
  const { updates, call } = withUpdates()
  await call('deleteWebhook', { drop_pending_updates: false })
  expect(updates.waiting()).toHaveLength(3)
  await call('deleteWebhook', { drop_pending_updates: true })
  expect(updates.waiting()).toEqual([])
})

test.each([
  { limit: 0 }, { limit: 101 }, { timeout: 51 }, { offset: 1.5 }, { allowed_updates: 'message' },
  { allowed_updates: ['click'] },
])('a request with %j is refused', async (params) => {
  expect(await withUpdates().call('getUpdates', params)).toMatchObject({ status: 400 })
})
