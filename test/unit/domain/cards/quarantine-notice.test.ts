import { beforeEach, expect, test } from 'vitest'
import { HeldNotice } from '../../../../server/domain/cards/card-queue'
import type { PageRequest, SubmissionStore } from '../../../../server/ports/store'
import { failing } from '../../../fakes/board'
import { formsOf } from '../../../fakes/forms'
import { openTriage, type Triage } from '../../../fakes/triage'
import { only } from '../../../fakes/only'

const HOUR = 60 * 60 * 1000

let triage: Triage
beforeEach(async () => { triage = await openTriage({ platforms: ['slack', 'discord'] }) })
/** One of several servers */
const server = (changes: Partial<Triage> = {}) => new HeldNotice({ ...triage, ...changes })
async function receiveQuarantined(): Promise<string> {
  const id = await triage.receive({ name: 'Ada' }, { held: true })
  triage.runtime.time += HOUR
  return id
}
const announcements = () => triage.board.announcements.map(
  ({ platform, text, url }) => [platform, text.split(',')[0], url],
)

test('each room is told once a day by whichever server is first, while something is held for an hour', async () => {
  const servers = Array.from({ length: 3 }, () => server())
  const sweep = () => Promise.all(servers.map(each => each.tell()))
  await sweep()
  await triage.receive({ name: 'Ada' }, { held: true })
  triage.runtime.time += HOUR / 2
  await sweep()
  expect(announcements()).toEqual([])
  const { submissions: [earlierForm] } = await triage.store.listPending({ limit: 1, only: 'held' })
  const ids = [earlierForm!.id, await receiveQuarantined()]
  for (let hours = 0; hours < 24; hours++) {
    await sweep()
    triage.runtime.time += HOUR
  }
  const url = 'https://forms.example.com/?state=held'
  const dailyNotices = [['slack', '2 forms are held', url], ['discord', '2 forms are held', url]]
  expect(announcements()).toEqual(dailyNotices)
  expect(triage.board.announcements[0]!.text).not.toContain('Ada')
  await triage.quarantine.decide('erase', ids[0]!, { id: 'U1', name: 'Ada', platform: 'Slack' })
  await sweep()
  expect(announcements().slice(2)).toEqual(dailyNotices.map(([room]) => [room, '1 form is held', url]))
  await triage.quarantine.decide('erase', ids[1]!, { id: 'U1', name: 'Ada', platform: 'Slack' })
  triage.runtime.time += 25 * HOUR
  await sweep()
  expect(announcements()).toHaveLength(4)
})

test('a room of another form is told nothing, and nobody is where no page can be linked to', async () => {
  const forms = formsOf({ rooms: ['slack'] }, { jobs: { rooms: ['discord'] } })
  await receiveQuarantined()
  await server({ siteUrl: null }).tell()
  expect(announcements()).toEqual([])
  await server({ forms }).tell()
  expect(announcements().map(([room]) => room)).toEqual(['slack'])
})

test('what a room refused is said to it again, and a store that does not answer harms nothing', async () => {
  const [firstServer, secondServer] = [server(), server()]
  await receiveQuarantined()
  const { announce } = triage.board
  triage.board.announce = async () => failing('Down.')
  await firstServer.tell()
  triage.board.announce = announce
  triage.outage.calls = 1
  await secondServer.tell()
  expect(announcements()).toEqual([])
  await secondServer.tell()
  expect(announcements()).toHaveLength(2)
})

test('what the forms said is not read for it, and a process looks through them every ten minutes', async () => {
  await receiveQuarantined()
  const pages: PageRequest[] = []
  const notice = new HeldNotice({ ...triage, store: only<SubmissionStore>({ listRecords: (page) => {
    pages.push(page)
    return triage.store.listRecords(page)
  } }) })
  await notice.tell()
  expect(pages).toHaveLength(1)
  expect(announcements()).toHaveLength(2)
  triage.runtime.time += HOUR / 6 - 1
  await notice.tell()
  expect(pages).toHaveLength(1)
  triage.runtime.time += 1
  await notice.tell()
  expect(pages).toHaveLength(2)
})
