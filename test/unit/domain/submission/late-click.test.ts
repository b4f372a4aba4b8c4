import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBoard } from '../../../../server/adapters/chat/board'
import { Review } from '../../../../server/domain/submission/review'
import type { Connection, Room } from '../../../../server/platforms/connection'
import { slack } from '../../../../server/platforms/slack/definition'
import { ok } from '../../../fakes/board'
import { formsOf } from '../../../fakes/forms'
import { silentLog, silentMonitor } from '../../../fakes/runtime'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const CARD = { platform: 'slack', threadId: 'slack:C1:1', messageId: '1' }

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
afterEach(() => triage.close())

const reviewAt = (place: string[]) => new Review({ ...triage, monitor: silentMonitor, log: silentLog }, place)

async function click(id: string, place: string[]): Promise<readonly string[]> {
  await reviewAt(place).decide(id, 'spam', ADA, { card: CARD })
  await triage.runtime.drain()
  return triage.board.late.map(({ text }) => text)
}

test('a click that decides is not answered, and the next one is told that it came too late', async () => {
  const id = await triage.post({ name: 'Ada' })
  expect(await click(id, ['slack'])).toEqual([])
  expect(await click(id, ['slack'])).toEqual([expect.stringMatching(/^Marked as spam by Ada on Slack, /)])
})

test('a click on what is still being forwarded is told by whom', async () => {
  const id = await triage.post({ name: 'Ada' })
  const held = Promise.withResolvers<typeof ok>()
  triage.mailer.answers.push(held.promise)
  await triage.review.decide(id, 'forward', ADA)
  await reviewAt(['slack']).decide(id, 'spam', ADA, { card: CARD })
  held.resolve(ok)
  await triage.runtime.drain()
  expect(triage.board.late).toEqual([{ ref: CARD, text: expect.stringMatching(/^Forwarded by Ada on Slack, /) }])
})

test('a click that is sent again after its forward failed is not answered: nothing is decided', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No.' })
  for (const action of ['forward', 'spam'] as const) {
    await reviewAt(['slack']).decide(id, action, ADA, { card: CARD, press: 'p1' })
    await triage.runtime.drain()
  }
  expect((await triage.store.get(id))?.state).toBe('open')
  expect(triage.board.late).toEqual([])
})

test('a click from where no cards go is not answered', async () => {
  expect(await click(await triage.post({ name: 'Ada' }), ['slack/C666'])).toEqual([])
})

test('a card is drawn by a click on it only where nothing of it is kept, and in a room of ours', async () => {
  triage.presentation.forms = formsOf({ rooms: ['slack'] }, { jobs: { rooms: ['slack/C2'] } })
  const id = await triage.post({ name: 'Ada' })
  const before = triage.board.history.length
  const drawn = async (of: string, place: string[]) => {
    await click(of, place)
    return triage.board.history.slice(before).map(({ notes }) => notes)
  }
  // Of the default form, whose cards do not go there.
  expect(await drawn(id, ['slack/C2'])).toEqual([])
  expect(await drawn(crypto.randomUUID(), ['slack/C666'])).toEqual([])
  expect(await drawn(crypto.randomUUID(), ['slack/C2'])).toEqual([[expect.stringContaining('Not kept any more.')]])
})

test.each<[string, (review: Review, id: string) => Promise<unknown>]>([
  ['forward', (review, id) => review.decide(id, 'forward', ADA, { card: CARD })],
  ['edit', (review, id) => review.edit(id, ADA, { card: CARD })],
  ['undo', (review, id) => review.revoke(id, 'forward', ADA, { card: CARD })],
  ['send again', (review, id) => review.sendAgain(id, undefined, ADA, { card: CARD })],
  ['take', ({ taking }, id) => taking.take(id, ADA, { card: CARD })],
  ['hand back', ({ taking }, id) => taking.handBack(id, ADA, { card: CARD })],
])('a click to %s in another room draws nothing there of what was decided, nor brings it there', async (_, press) => {
  triage.presentation.forms = formsOf({ rooms: ['slack'] }, { jobs: { rooms: ['slack/C2'] } })
  const id = await triage.post({ name: 'Ada' })
  await triage.review.decide(id, 'forward', ADA)
  await triage.runtime.drain()
  const [before, drawn] = [await triage.store.get(id), triage.board.history.length]
  await press(reviewAt(['slack/C2']), id)
  await triage.runtime.drain()
  expect(triage.board.history.slice(drawn)).toEqual([])
  expect(await triage.store.get(id)).toEqual(before)
})

test.each([
  ['answered below its card where messages stay as they were posted', true, ['*Ada* was faster']],
  ['shown by its card, and not answered, where that is updated', undefined, []],
] as const)('a click that came too late is %s', async (_, keepsMessages, said) => {
  const answers: unknown[] = []
  const room: Partial<Room> = {
    say: async ({ children }, _summary, below) => {
      answers.push(...children.flatMap(child => child.type === 'text' ? child.content : []))
      expect(below).toEqual(CARD)
      return ok
    },
  }
  const connection: Connection = {
    platform: { ...slack, keepsMessages }, channelId: 'C1',
    adapter: () => Promise.reject(new Error()), room: async () => room as Room,
  }
  const board = createBoard([connection], () => Promise.reject(new Error()), silentLog)
  expect(await board.answerLate(CARD, '*Ada* was faster')).toEqual(ok)
  expect(answers).toEqual(said)
})
