import { afterEach, beforeEach, expect, test } from 'vitest'
import { isForbidden } from '../../../../server/domain/submission/desk'
import { OpsSubmissions } from '../../../../server/domain/submission/ops-submissions'
import { Quarantine } from '../../../../server/domain/submission/quarantine'
import { Review } from '../../../../server/domain/submission/review'
import { formsOf } from '../../../fakes/forms'
import { silentLog, silentMonitor } from '../../../fakes/runtime'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

let triage: Triage
let review: Review
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage()
  const ports = {
    ...triage, monitor: silentMonitor, log: silentLog,
    presentation: { ...triage.presentation, forms: formsOf({ reviewers: ['ops:grace'], claim: 'soft' }) },
  }
  review = new Review(ports, 'everywhere')
  submissions = new OpsSubmissions({ ...ports, review, quarantine: new Quarantine(ports) })
})
afterEach(() => triage.close())

test.each<[string, (id: string) => Promise<object | null>]>([
  ['forward', id => review.decide(id, 'forward', ADA)],
  ['spam', id => review.decide(id, 'spam', ADA)],
  ['open the edit form', id => review.edit(id, ADA)],
  ['send an edit form', id => review.decideEdited(id, { f0: 'x' }, ADA)],
  ['take back', id => review.revoke(id, 'forward', ADA)],
  ['say that it is no spam', id => review.revoke(id, 'spam', ADA)],
  ['open the form to send again', id => review.sendAgainForm(id, ADA)],
  ['send again', id => review.sendAgain(id, undefined, ADA)],
  ['send again to another address', id => review.sendAgain(id, 'ada@example.com', ADA)],
  ['take it', id => review.taking.take(id, ADA)],
  ['hand it back', id => review.taking.handBack(id, ADA)],
  ['give it to somebody', id => review.taking.assign(id, ADA, ADA)],
])('who is none of the reviewers cannot %s', async (_, act) => {
  const id = await triage.post({ name: 'Ada' })
  const before = await triage.store.get(id)
  expect(isForbidden((await act(id))!)).toBe(true)
  expect(await triage.store.get(id)).toEqual(before)
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
  const before = await triage.store.get(id)
  await expect(act(id)).rejects.toMatchObject({ code: 'NOT_A_REVIEWER' })
  expect(await triage.store.get(id)).toEqual(before)
})
