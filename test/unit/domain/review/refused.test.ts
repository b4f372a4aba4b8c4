import { beforeEach, expect, test } from 'vitest'
import { Decisions } from '../../../../server/domain/review/decisions'
import type { OpsSubmissions } from '../../../../server/domain/queries/ops-submissions'
import { Quarantine } from '../../../../server/domain/review/quarantine'
import { formsOf } from '../../../fakes/forms'
import { ADA, openTriage, submissionsIn, type Triage } from '../../../fakes/triage'

let triage: Triage
let decisions: Decisions
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage()
  const { outbox, reviewers } = triage
  const context = { ...triage, forms: formsOf({ reviewers: ['ops:grace'], claim: 'soft' }) }
  decisions = new Decisions(context, outbox, reviewers)
  submissions = submissionsIn({ ...context, decisions, quarantine: new Quarantine(context, outbox, reviewers) })
})
const ATTEMPT = { person: ADA, place: 'everywhere' } as const

test.each<[string, (id: string) => Promise<object | null>]>([
  ['forward', id => decisions.decide({ ...ATTEMPT, id, action: 'forward' })],
  ['spam', id => decisions.decide({ ...ATTEMPT, id, action: 'spam' })],
  ['open the edit form', id => decisions.open({ ...ATTEMPT, id, action: 'edit' })],
  ['send an edit form', id => decisions.decide({ ...ATTEMPT, id, action: 'edit', values: { f0: 'x' } })],
  ['take back', id => decisions.decide({ ...ATTEMPT, id, action: 'undo' })],
  ['say that it is no spam', id => decisions.decide({ ...ATTEMPT, id, action: 'reopen' })],
  ['open the form to send again', id => decisions.open({ ...ATTEMPT, id, action: 'resend' })],
  ['send again', id => decisions.decide({ ...ATTEMPT, id, action: 'resend' })],
  ['send again to another address', id => (
    decisions.decide({ ...ATTEMPT, id, action: 'resend', to: 'ada@example.com' })
  )],
  ['take it', id => decisions.decide({ ...ATTEMPT, id, action: 'take' })],
  ['hand it back', id => decisions.decide({ ...ATTEMPT, id, action: 'hand-back' })],
  ['give it to somebody', id => decisions.decide({ ...ATTEMPT, id, action: 'assign', assignee: ADA })],
])('who is none of the reviewers cannot %s', async (_, act) => {
  const id = await triage.post({ name: 'Ada' })
  const recordBefore = await triage.store.get(id)
  expect(await act(id)).toMatchObject({ kind: 'forbidden' })
  expect(await triage.store.get(id)).toEqual(recordBefore)
})

type Call = (id: string) => Promise<unknown>

test.each<[string, Call]>([
  ...['forward', 'spam', 'undo', 'reopen', 'release', 'resend', 'erase', 'take', 'hand-back'].map(
    (action): [string, Call] => [action, id => submissions.decide(id, { action }, ADA)],
  ),
  ['edit', id => submissions.decide(id, { action: 'edit', values: {} }, ADA)],
  ['resend to another address', id => submissions.decide(id, { action: 'resend', to: 'ada@example.com' }, ADA)],
  ['post refused cards again', id => submissions.postAgain(id, ADA)],
])('who is none of the reviewers is refused by the API what it calls %s', async (_, act) => {
  const id = await triage.post({ name: 'Ada' })
  const recordBefore = await triage.store.get(id)
  await expect(act(id)).rejects.toMatchObject({ code: 'NOT_A_REVIEWER' })
  expect(await triage.store.get(id)).toEqual(recordBefore)
})
