import { beforeEach, expect, test } from 'vitest'
import { type Attempt, Decisions } from '../../../../server/domain/review/decisions'
import { Quarantine } from '../../../../server/domain/review/quarantine'
import { formsOf } from '../../../fakes/forms'
import { silentLog, silentMonitor } from '../../../fakes/runtime'
import { ADA, openTriage, submissionsIn, type Triage } from '../../../fakes/triage'

const CARD = { platform: 'slack', threadId: 'slack:C1:1', messageId: '1' }

let triage: Triage
let incidents: string[][]
let logged: string[]
beforeEach(async () => {
  triage = await openTriage()
  incidents = []
  logged = []
})
/** Decisions about forms with these lists of reviewers */
const decisionsFor = (reviewers?: string[]) => {
  const context = {
    ...triage, forms: formsOf({ rooms: ['slack'], reviewers, claim: 'soft' }, { jobs: { rooms: ['slack/C2'] } }),
    monitor: { ...silentMonitor, incident: (...incident: string[]) => void incidents.push(incident) },
    log: { ...silentLog, warn: (event: string) => void logged.push(event) },
  }
  return { context, decisions: new Decisions(context, triage.outbox, triage.reviewers) }
}

const ACTS: [name: string, act: (decisions: Decisions, attempt: Attempt) => Promise<object | null>][] = [
  ['forward', (decisions, attempt) => decisions.decide({ ...attempt, action: 'forward' })],
  ['spam', (decisions, attempt) => decisions.decide({ ...attempt, action: 'spam' })],
  ['open the edit form', (decisions, attempt) => decisions.open({ ...attempt, action: 'edit' })],
  ['send an edit form', (decisions, attempt) => decisions.decide({ ...attempt, action: 'edit', values: { f0: 'x' } })],
  ['take back', (decisions, attempt) => decisions.decide({ ...attempt, action: 'undo' })],
  ['say that it is no spam', (decisions, attempt) => decisions.decide({ ...attempt, action: 'reopen' })],
  ['open the form to send again', (decisions, attempt) => decisions.open({ ...attempt, action: 'resend' })],
  ['send again', (decisions, attempt) => decisions.decide({ ...attempt, action: 'resend' })],
  ['send again to another address', (decisions, attempt) => (
    decisions.decide({ ...attempt, action: 'resend', to: 'ada@example.com' })
  )],
  ['take it', (decisions, attempt) => decisions.decide({ ...attempt, action: 'take' })],
  ['hand it back', (decisions, attempt) => decisions.decide({ ...attempt, action: 'hand-back' })],
  ['give it to somebody', (decisions, attempt) => decisions.decide({ ...attempt, action: 'assign', assignee: ADA })],
]
const inRoom = (room: string) => ({ person: ADA, place: [room], press: { card: CARD } })

test.each(ACTS)('who is none of the reviewers cannot %s', async (_, act) => {
  const id = await triage.post({ name: 'Ada' })
  const recordBefore = await triage.store.get(id)
  const { decisions } = decisionsFor(['ops:grace'])
  expect(await act(decisions, { id, person: ADA, place: 'everywhere' })).toMatchObject({ kind: 'forbidden' })
  expect(await triage.store.get(id)).toEqual(recordBefore)
})

test.each(ACTS)('a click to %s with an id that the store does not know draws nothing and is told nothing, but counted', async (_, act) => {
  const attempt = { ...inRoom('slack'), id: crypto.randomUUID() }
  expect(await triage.settle(act(decisionsFor().decisions, attempt))).toMatchObject({ kind: 'silent' })
  expect([triage.board.history, incidents, logged]).toEqual([[], [['unknown-submission']], ['review.unknown']])
})

test.each(ACTS)('a click to %s in another room draws nothing there of what was decided, nor brings it there', async (_, act) => {
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  const [recordBefore, drawn] = [await triage.store.get(id), triage.board.history.length]
  await triage.settle(act(decisionsFor().decisions, { ...inRoom('slack/C2'), id }))
  expect(triage.board.history.slice(drawn)).toEqual([])
  expect(await triage.store.get(id)).toEqual(recordBefore)
})

type Call = [name: string, call: (ops: ReturnType<typeof submissionsIn>, id: string) => Promise<unknown>]

test.each<Call>([
  ...['forward', 'spam', 'undo', 'reopen', 'release', 'resend', 'erase', 'take', 'hand-back'].map(
    (action): Call => [action, (ops, id) => ops.decide(id, { action }, ADA)],
  ),
  ['edit', (ops, id) => ops.decide(id, { action: 'edit', values: {} }, ADA)],
  ['resend to another address', (ops, id) => ops.decide(id, { action: 'resend', to: 'ada@example.com' }, ADA)],
  ['post refused cards again', (ops, id) => ops.postAgain(id, ADA)],
])('who is none of the reviewers is refused by the API what it calls %s', async (_, call) => {
  const id = await triage.post({ name: 'Ada' })
  const recordBefore = await triage.store.get(id)
  const { context, decisions } = decisionsFor(['ops:grace'])
  const quarantine = new Quarantine(context, triage.outbox, triage.reviewers)
  await expect(call(submissionsIn({ ...context, decisions, quarantine }), id)).rejects.toMatchObject({
    code: 'NOT_A_REVIEWER',
  })
  expect(await triage.store.get(id)).toEqual(recordBefore)
})
