import { afterEach, beforeEach, expect, test } from 'vitest'
import { Review } from '../../../../server/domain/submission/review'
import type { Place } from '../../../../server/ports/board'
import type { Person } from '../../../../server/ports/submission'
import { plain } from '../../../../shared/utils/line'
import { ok } from '../../../fakes/board'
import { formsOf } from '../../../fakes/forms'
import { silentLog, silentMonitor } from '../../../fakes/runtime'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const CARD = { platform: 'slack', threadId: 'slack:C1:1', messageId: '1' }

let triage: Triage
/** Kinds and details, and what the log names. */
let incidents: string[][]
let logged: string[]
beforeEach(async () => {
  triage = await openTriage()
  incidents = []
  logged = []
})
afterEach(() => triage.close())

const reviewAt = (place: Place) => new Review({
  ...triage, monitor: { ...silentMonitor, incident: (...incident: string[]) => void incidents.push(incident) },
  log: { ...silentLog, warn: event => void logged.push(event) },
}, place)

/** Words that a click is told; null for none. */
async function click(id: string, place: string[], press?: string, person: Person = ADA): Promise<string | null> {
  const result = await reviewAt(place).decide(id, 'spam', person, { card: CARD, press })
  await triage.runtime.drain()
  return result.claimed || result.isSilent ? null : plain(result.message)
}

const drawn = () => triage.board.history.length

test('a click that decides is not answered, the next one is told that it came too late, and the same one is not', async () => {
  const id = await triage.post({ name: 'Ada' })
  expect(await click(id, ['slack'], 'p1')).toBeNull()
  expect(await click(id, ['slack'], 'p2')).toMatch(/^Marked as spam by Ada on Slack, /)
  expect(await click(id, ['slack'], 'p1')).toBeNull()
})

test('a click on what is still being forwarded is told by whom', async () => {
  const id = await triage.post({ name: 'Ada' })
  const held = Promise.withResolvers<typeof ok>()
  triage.mailer.answers.push(held.promise)
  await triage.review.decide(id, 'forward', ADA)
  expect(await reviewAt(['slack']).decide(id, 'spam', ADA, { card: CARD })).toEqual({
    claimed: false, message: expect.arrayContaining([expect.stringMatching(/^Forwarded by Ada on Slack, /)]) as object,
  })
  held.resolve(ok)
  await triage.runtime.drain()
})

test('a click that is sent again after its forward failed is not answered: nothing is decided', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No.' })
  const press = { card: CARD, press: 'p1' }
  expect(await reviewAt(['slack']).decide(id, 'forward', ADA, press)).toEqual({ claimed: true })
  await triage.runtime.drain()
  expect(await reviewAt(['slack']).decide(id, 'spam', ADA, press)).toMatchObject({ claimed: false, isSilent: true })
  await triage.runtime.drain()
  expect((await triage.store.get(id))?.state).toBe('open')
})

test.each<[string, (review: Review, id: string) => Promise<object | null>]>([
  ['forward', (review, id) => review.decide(id, 'forward', ADA, { card: CARD })],
  ['edit', (review, id) => review.edit(id, ADA, { card: CARD })],
  ['undo', (review, id) => review.revoke(id, 'forward', ADA, { card: CARD })],
  ['ask how to send again', (review, id) => review.sendAgainForm(id, ADA, { card: CARD })],
  ['send again', (review, id) => review.sendAgain(id, undefined, ADA, { card: CARD })],
  ['take', ({ taking }, id) => taking.take(id, ADA, { card: CARD })],
  ['hand back', ({ taking }, id) => taking.handBack(id, ADA, { card: CARD })],
])('a click to %s with an id that the store does not know draws nothing and is told nothing, but counted', async (_, press) => {
  const before = drawn()
  expect(await press(reviewAt(['slack']), crypto.randomUUID())).toMatchObject({ claimed: false, isSilent: true })
  await triage.runtime.drain()
  expect([drawn(), incidents, logged]).toEqual([before, [['unknown-submission']], ['review.unknown']])
})

test('an unknown id says nothing of the store in a room that is not ours, nor at the ops pages, nor without a click', async () => {
  const id = crypto.randomUUID()
  await reviewAt(['slack/C666']).decide(id, 'spam', ADA, { card: CARD })
  await reviewAt(['slack']).decide(id, 'spam', ADA)
  await reviewAt('everywhere').decide(id, 'spam', ADA, { press: 'p1' })
  expect(incidents).toEqual([])
})

test('a click in another room is told that it counts elsewhere, and nothing of what became of the form', async () => {
  triage.presentation.forms = formsOf({ rooms: ['slack'] }, { jobs: { rooms: ['slack/C2'] } })
  const id = await triage.post({ name: 'Ada' })
  const said = await click(id, ['slack/C2'])
  expect(said).toMatch(/belongs to another channel, so nothing was changed/)
  await triage.review.decide(id, 'forward', ADA)
  await triage.runtime.drain()
  expect([await click(id, ['slack/C2']), await click(id, ['slack/C666'])]).toEqual([said, said])
  expect(incidents).toEqual([['misplaced', 'Slack'], ['misplaced', 'Slack'], ['misplaced', 'Slack']])
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
