import { expect, test } from 'vitest'
import { TestCards } from '../../../../server/domain/operations/test-cards'
import { FakeBoard, failing } from '../../../fakes/board'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'

const forms = formsOf({ rooms: ['slack', 'discord'] }, {
  hr: { name: 'HR', rooms: ['slack/C2'] }, contact: { rooms: ['slack'] },
})

function openTestCards(waitAnswers: (number | Error)[] = []) {
  const board = new FakeBoard()
  const countedKeys: string[] = []
  const testCards = new TestCards(testContext({ board, forms }), {
    limit: 5, take: async (key) => {
      countedKeys.push(key)
      const answer = waitAnswers.shift() ?? 0
      if (typeof answer === 'number') return answer
      throw answer
    },
  })
  return { testCards, board, asked: countedKeys }
}

test('a test card goes to each room of the platform and to no other, and each says what became of it', async () => {
  const { testCards, board } = openTestCards()
  const { announce } = board
  board.announce = async (room, ...message) => (
    room === 'slack/C2' ? failing('Invite the bot.') : announce.call(board, room, ...message)
  )
  expect(await testCards.send({ platform: 'slack' })).toEqual({ rooms: [
    { forms: [null, 'contact'], reason: null }, { forms: ['HR'], reason: 'Invite the bot.' },
  ] })
  expect(board.announcements.map(({ platform }) => platform)).toEqual(['slack'])
  expect(board.announcements[0]!.text).toMatch(/^Test card of the set-up page, \d\d:\d\d:\d\d UTC\./)
})

test.each([
  [{ platform: 'teams' }], [{ platform: 'slack/C2' }], [{}], [null],
])('%j is no platform of ours: nothing is counted', async (body) => {
  const { testCards, asked: countedKeys } = openTestCards()
  await expect(testCards.send(body)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  expect(countedKeys).toEqual([])
})

test('no more test cards go to a platform than the limit allows, and none while they cannot be counted', async () => {
  const { testCards, board, asked: countedKeys } = openTestCards([0, 90_000, new Error('The store does not answer.')])
  await testCards.send({ platform: 'discord' })
  await expect(testCards.send({ platform: 'discord' })).rejects.toMatchObject({
    code: 'TOO_MANY_TESTS', retryAfterS: 90,
  })
  await expect(testCards.send({ platform: 'discord' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect([board.announcements.length, new Set(countedKeys).size]).toEqual([1, 1])
})
