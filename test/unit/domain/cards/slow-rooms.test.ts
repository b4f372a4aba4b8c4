import { expect, test } from 'vitest'
import { CARD_PATIENCE_MS, SlowRooms } from '../../../../server/domain/cards/card-queue'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'

test('a room is slow from when a card has taken too long there until one is quick', async () => {
  let time = 0
  const rooms = new SlowRooms(only<Runtime>({ now: () => time }))
  const post = Promise.withResolvers<string>()
  const slowPost = rooms.timed('slack', post.promise)
  expect(rooms.has('slack')).toBe(false)
  time += CARD_PATIENCE_MS
  expect([rooms.has('slack'), rooms.has('discord')]).toEqual([true, false])
  post.resolve('late')
  expect(await slowPost).toBe('late')
  expect(rooms.has('slack')).toBe(true)
  await expect(rooms.timed('slack', Promise.reject(new Error('refused at once')))).rejects.toThrow('refused')
  expect(rooms.has('slack')).toBe(false)
})
