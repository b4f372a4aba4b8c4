import { beforeEach, expect, test } from 'vitest'
import { ClosedRooms } from '../../../../server/domain/cards/card-queue'
import { failing, ok } from '../../../fakes/board'
import { formsOf } from '../../../fakes/forms'
import { openTriage, type Triage } from '../../../fakes/triage'

const ARCHIVED = failing('Slack answered is_archived.', { permanent: true })

let triage: Triage
beforeEach(async () => { triage = await openTriage({ platforms: ['slack', 'discord'] }) })
/** Starts one of several processes. */
const startProcess = () => new ClosedRooms({
  ...triage, forms: formsOf(
    { rooms: ['slack', 'discord'] }, { hr: { rooms: ['slack/C2'] }, it: { rooms: ['slack', 'slack/C3'] } },
  ),
})
const takeAnnouncements = () => triage.board.announcements.splice(0)

test('the other rooms of its forms are told once, with why and what to do, whichever process finds out', async () => {
  const [firstProcess, otherProcess] = [startProcess(), startProcess()]
  for (const process of [firstProcess, otherProcess, firstProcess]) await process.heard('slack', ARCHIVED)
  const text = 'No cards reach Slack any more: Slack answered is_archived. Until then its forms are decided elsewhere.'
  const url = 'https://forms.example.com'
  expect(takeAnnouncements()).toEqual([{ platform: 'discord', text, url }, { platform: 'slack/C3', text, url }])
})

test('once it takes cards again the next time is told anew', async () => {
  const process = startProcess()
  for (const outcome of [ARCHIVED, ok, ARCHIVED]) await process.heard('slack', outcome)
  expect(takeAnnouncements()).toHaveLength(4)
})

test('the next time is told anew also by a process that did not see it closed before, and each asks once for that', async () => {
  await startProcess().heard('slack', ARCHIVED)
  const process = startProcess()
  const forget = triage.queues.forgetNotice.bind(triage.queues)
  let forgotten = 0
  triage.queues.forgetNotice = (...notice) => {
    forgotten++
    return forget(...notice)
  }
  for (const outcome of [ok, ok, ok, ARCHIVED]) await process.heard('slack', outcome)
  expect(takeAnnouncements()).toHaveLength(4)
  expect(forgotten).toBe(1)
})

test('what a store could not be told is said again with the next card', async () => {
  const process = startProcess()
  const { takeNotice } = triage.queues
  triage.queues.takeNotice = () => Promise.reject(new Error('The store does not answer.'))
  await process.heard('slack', ARCHIVED)
  triage.queues.takeNotice = takeNotice
  await process.heard('slack', ARCHIVED)
  expect(takeAnnouncements()).toHaveLength(2)
})

test('what may pass, and what is about one card, is told to nobody', async () => {
  const process = startProcess()
  await process.heard('slack', failing('Slack: no connection.'))
  await process.heard('slack', { ok: false, permanent: true, content: true, reason: 'Slack answered invalid_blocks.' })
  await process.heard('slack/C2', ARCHIVED)
  expect(takeAnnouncements()).toEqual([])
})
