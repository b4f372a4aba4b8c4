import { beforeEach, expect, test } from 'vitest'
import { type Attempt, Decisions } from '../../../../server/domain/review/decisions'
import type { Scope } from '../../../../server/ports/board'
import type { Person } from '../../../../server/ports/submission'
import { plainText } from '../../../../shared/utils/line'
import { ok } from '../../../fakes/board'
import { formsOf } from '../../../fakes/forms'
import { silentLog, silentMonitor } from '../../../fakes/runtime'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const CARD = { platform: 'slack', threadId: 'slack:C1:1', messageId: '1' }

let triage: Triage
/** Kind and details of each incident */
let incidents: string[][]
let logged: string[]
beforeEach(async () => {
  triage = await openTriage()
  incidents = []
  logged = []
})
const decisions = () => new Decisions({
  ...triage, monitor: { ...silentMonitor, incident: (...incident: string[]) => void incidents.push(incident) },
  log: { ...silentLog, warn: event => void logged.push(event) },
}, triage.outbox, triage.reviewers)
const clickAt = (id: string, place: Scope, press?: string) => ({ id, place, person: ADA, press: { card: CARD, press } })

/** Message that answers a click; null for none. */
async function click(id: string, place: string[], press?: string, person: Person = ADA): Promise<string | null> {
  const result = await triage.settle(decisions().decide({ ...clickAt(id, place, press), action: 'spam', person }))
  return 'message' in result && result.kind !== 'silent' ? plainText(result.message) : null
}

test('a click that decides is not answered, the next one is told that it came too late, and the same one is not', async () => {
  const id = await triage.post({ name: 'Ada' })
  expect(await click(id, ['slack'], 'p1')).toBeNull()
  expect(await click(id, ['slack'], 'p2')).toMatch(/^Marked as spam by Ada on Slack, /)
  expect(await click(id, ['slack'], 'p1')).toBeNull()
})

test('a click on what is still being forwarded is told by whom', async () => {
  const id = await triage.post({ name: 'Ada' })
  const delivery = Promise.withResolvers<typeof ok>()
  triage.mailer.answers.push(delivery.promise)
  await triage.decide({ id, action: 'forward' })
  expect(await decisions().decide({ ...clickAt(id, ['slack']), action: 'spam' })).toEqual({
    kind: 'unchanged',
    message: expect.arrayContaining([expect.stringMatching(/^Forwarded by Ada on Slack, /)]) as object,
  })
  delivery.resolve(ok)
  await triage.runtime.drain()
})

test('a click that is sent again after its forward failed is not answered: nothing is decided', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No.' })
  const press = clickAt(id, ['slack'], 'p1')
  expect(await decisions().decide({ ...press, action: 'forward' })).toEqual({ kind: 'done' })
  await triage.runtime.drain()
  expect(await decisions().decide({ ...press, action: 'spam' })).toMatchObject({ kind: 'silent' })
  await triage.runtime.drain()
  expect((await triage.store.get(id))?.state).toBe('open')
})

test('a click to edit a decided submission is told who decided it', async () => {
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  const message = expect.arrayContaining([expect.stringMatching(/^Forwarded by Ada on Slack, /)]) as object
  expect(await decisions().open({ ...clickAt(id, ['slack']), action: 'edit' })).toEqual({ kind: 'unchanged', message })
})

test('a click to send again an email that was never sent is told so', async () => {
  const id = await triage.post({ name: 'Ada' })
  expect(await decisions().open({ ...clickAt(id, ['slack']), action: 'resend' })).toBeNull()
  expect(await decisions().decide({ ...clickAt(id, ['slack']), action: 'resend' })).toMatchObject({
    kind: 'unchanged', message: 'Nothing to resend.',
  })
  expect(triage.mailer.calls).toEqual([])
})

test('a click on a card that another channel shows is counted as one of a moved channel', async () => {
  triage.forms = formsOf({ rooms: ['slack'] }, { jobs: { rooms: ['slack/C2'] } })
  const id = await triage.post({ name: 'Ada' })
  const [card] = (await triage.store.get(id))!.cards
  await decisions().decide({ ...clickAt(id, ['slack/C2']), press: { card: card! }, action: 'spam' })
  expect(incidents).toEqual([['moved-channel', 'slack by slack (Slack)']])
})

test('an unknown id says nothing of the store in a room that is not ours, nor at the ops pages, nor without a click', async () => {
  const id = crypto.randomUUID()
  const spam = (attempt: Attempt) => decisions().decide({ ...attempt, action: 'spam' })
  await spam(clickAt(id, ['slack/C666']))
  await spam({ id, place: ['slack'], person: ADA })
  await spam({ id, place: 'everywhere', person: ADA, press: { press: 'p1' } })
  expect(incidents).toEqual([])
})

test('a click in another room is told that it counts elsewhere, and nothing of what became of the form', async () => {
  triage.forms = formsOf({ rooms: ['slack'] }, { jobs: { rooms: ['slack/C2'] } })
  const id = await triage.post({ name: 'Ada' })
  const message = await click(id, ['slack/C2'])
  expect(message).toMatch(/belongs to another channel, so nothing was changed/)
  await triage.settle(triage.decide({ id, action: 'forward' }))
  expect([await click(id, ['slack/C2']), await click(id, ['slack/C666'])]).toEqual([message, message])
  expect(incidents).toEqual([['misplaced', 'Slack'], ['misplaced', 'Slack'], ['misplaced', 'Slack']])
})
