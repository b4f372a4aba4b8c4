import { expect, test } from 'vitest'
import { editForm, goneCardView } from '../../../../server/domain/cards/card-view'
import { decisionLine } from '../../../../server/domain/cards/decision-line'
import { inUtc } from '../../../../shared/utils/line'
import { FILE_LOST } from '../../../../server/ports/delivery'
import type { Submission, Work } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { decisions, PRESENTATION } from '../../../fixtures/views'
import { cardInWords } from '../../../support/words'

const AT = Date.UTC(2026, 10, 21, 12, 3, 59)
const ADA = { id: 'U1', name: 'Ada Lovelace', platform: 'Slack' }

const OPEN: Submission = {
  id: 'one', version: 1, state: 'open', receivedAt: AT, expiresAt: AT + 1,
  data: { name: 'Ada', quantity: 2, tags: ['a'], note: null },
  reminded: false, edited: [], cards: [], decision: null, work: [], delivered: [], failures: [], history: [],
}
const FORWARDED: Submission = {
  ...OPEN, state: 'settled', delivered: ['endpoint', 'email'], decision: { action: 'forward', reviewer: ADA, at: AT },
}
const email: Work = { key: 'email#2', kind: 'email', attempts: 0, dueAt: AT }
const endpoint: Work = { key: 'endpoint#2', kind: 'endpoint', attempts: 0, dueAt: AT }
const notesOf = (changes: Partial<Submission>) => cardInWords({ ...FORWARDED, ...changes }, PRESENTATION).notes.slice(1)
const SPAM: Submission = { ...OPEN, state: 'settled', data: null, decision: { action: 'spam', reviewer: ADA, at: AT } }

test('an open card offers the buttons and shows every field as text', () => {
  expect(cardInWords(OPEN, PRESENTATION)).toEqual({
    submissionId: 'one', title: 'New Form Submission', state: 'new', actions: decisions(), notes: [],
    url: 'https://forms.example.com/submissions/one',
    fields: [
      { label: 'name', value: 'Ada', edited: false },
      { label: 'quantity', value: '2', edited: false },
      { label: 'tags', value: 'a', edited: false },
      { label: 'note', value: 'null', edited: false },
    ],
  })
})

test('an open card asks which of several addresses is the sender\'s', () => {
  const data = { 'home email': 'ada@example.com', 'work email': 'ada@work.example' }
  const note = '2 addresses: which one is the sender\'s? Set `replyTo` of the form'
  expect(cardInWords({ ...OPEN, data }, PRESENTATION).notes).toEqual([note])
  const forms = formsOf({ replyTo: 'work email' })
  expect(cardInWords({ ...OPEN, data }, { ...PRESENTATION, forms }).notes).toEqual([])
})

const FAILED_EMAIL = { delivery: 'email' as const, reason: 'Resend refused it.' }
const TO_CRM = { delivery: 'endpoint' as const, content: 'x', to: ['crm.example.com'], at: AT }
const TO_TEAM = { delivery: 'email' as const, content: 'x', to: ['team@example.com'], at: AT }
const ONLY_EMAIL = 'to send only the email: the endpoint has it. Edited values go to both'

test.each<[what: string, submission: Submission, title: string, shown: object, notes: unknown[]]>([
  ['a forwarded card says who, when and where to, and offers nothing', FORWARDED, 'Form Submission forwarded', {
    actions: [],
  }, [
    'Forwarded by Ada Lovelace on Slack, 21 Nov 2026, 12:03 UTC', 'Sent to team@example.com and downstream.example.com',
  ]],
  [
    'an edited card marks the fields that were changed and names them', { ...FORWARDED, edited: ['quantity', 'tags'] },
    'Form Submission forwarded', { fields: [false, true, true, false].map(edited => ({ edited })) },
    [
      'Edited and forwarded by Ada Lovelace on Slack, 21 Nov 2026, 12:03 UTC', expect.stringMatching(/^Sent to/),
      'Edited: quantity, tags',
    ],
  ],
  ['a spam card says who and when, and shows no form data', SPAM, 'Form Submission marked as spam', {
    actions: [], fields: [],
  }, ['Marked as spam by Ada Lovelace on Slack, 21 Nov 2026, 12:03 UTC']],
  [
    'a spam card that can be taken back says for how long', { ...SPAM, data: OPEN.data, revocableUntil: AT },
    'Form Submission marked as spam', { actions: [{ id: 'not_spam', label: 'Not spam' }], fields: [] },
    [expect.stringMatching(/^Marked as spam by Ada/), 'Its data is erased on 21 Nov 2026, 12:03 UTC'],
  ],
  ['an expired card says so and offers nothing', { ...OPEN, state: 'expired', data: null }, 'Expired Form Submission', {
    actions: [], fields: [],
  }, ['Expired — nobody decided in 7 days.']],
  [
    'a card that was opened again says what failed and offers the buttons',
    { ...OPEN, failures: [FAILED_EMAIL, { delivery: 'endpoint', reason: 'HTTP 500.' }] }, 'Failed Form Submission',
    { actions: decisions() },
    ['Email failed: Resend refused it.', 'Endpoint failed: HTTP 500.', 'Decide again to retry'],
  ],
  [
    'a card that was opened again after one delivery says which is left, and its button does',
    { ...OPEN, failures: [FAILED_EMAIL], delivered: ['endpoint'], sent: [TO_CRM] }, 'Failed Form Submission',
    { actions: decisions('Retry email') },
    [
      'Email failed: Resend refused it.', 'Sent to crm.example.com on 21 Nov 2026, 12:03 UTC',
      `Forward again ${ONLY_EMAIL}`,
    ],
  ],
  [
    'a card whose email was given up for a lost file says that it goes without it',
    { ...OPEN, failures: [{ delivery: 'email', reason: FILE_LOST }] }, 'Failed Form Submission', {},
    [`Email failed: ${FILE_LOST}`, 'Decide again to retry', 'The email then goes without that file'],
  ],
  [
    'a card whose email came back calls what is left as its button does',
    {
      ...OPEN, failures: [{ delivery: 'email', reason: 'Bounced.' }], delivered: ['endpoint'],
      sent: [TO_CRM, { ...TO_TEAM, receipt: { verdict: 'bounced' } }],
    }, 'Failed Form Submission', { actions: [{ label: 'Send again' }, {}, {}] },
    [
      'Email failed: Bounced.', 'Sent to team@example.com on 21 Nov 2026, 12:03 UTC, and came back',
      'Sent to crm.example.com on 21 Nov 2026, 12:03 UTC', `Send again ${ONLY_EMAIL}`,
    ],
  ],
])('%s', (_, submission, title, shown, notes) => {
  expect(cardInWords(submission, PRESENTATION)).toMatchObject({ title, notes, ...shown })
})

test('a card says of each delivery what is: being sent, sent, failed and tried again, given up', () => {
  expect(notesOf({ state: 'settling', delivered: [], work: [endpoint, email] })).toEqual([
    'Being sent to team@example.com and downstream.example.com',
  ])
  expect(notesOf({ state: 'settling', delivered: ['endpoint'], work: [email] })).toEqual([
    'Sent to downstream.example.com', 'Being sent to team@example.com',
  ])
  expect(notesOf({
    state: 'settling', delivered: ['endpoint'], work: [{ ...email, attempts: 1, reason: 'Resend answered 500.' }],
  }))
    .toEqual([
      'Sent to downstream.example.com', 'Email failed: Resend answered 500. Next attempt on 21 Nov 2026, 12:03 UTC',
    ])
  expect(notesOf({
    state: 'settling', delivered: [], work: [email], failures: [{ delivery: 'endpoint', reason: 'HTTP 400.' }],
  })).toEqual(['Being sent to team@example.com', 'Endpoint failed: HTTP 400.'])
  expect(notesOf({})).toEqual(['Sent to team@example.com and downstream.example.com'])
  expect(
    cardInWords({ ...FORWARDED, state: 'settling', work: [email] }, PRESENTATION).title,
  ).toBe('Form Submission being forwarded')
})

test('a card says where it was sent then, whatever is configured now', () => {
  const sent = [{ delivery: 'email' as const, content: 'x', to: ['old@example.com'], at: AT }]
  expect(notesOf({ delivered: ['email'], sent })).toEqual(['Sent to old@example.com'])
  expect(notesOf({ state: 'settling', delivered: [], sent, work: [email] })).toEqual([
    'Being sent to team@example.com', 'Corrects what was sent to old@example.com on 21 Nov 2026, 12:03 UTC',
  ])
  expect(cardInWords({ ...SPAM, sent, delivered: ['email'] }, PRESENTATION).notes.slice(1)).toEqual([
    'Sent to old@example.com on 21 Nov 2026, 12:03 UTC',
  ])
})

test('a form that is not configured any more is called by its address', () => {
  expect(cardInWords({ ...OPEN, form: 'hr' }, PRESENTATION).title).toBe('New Form Submission: hr')
})

test('a card of what is gone shows no data and offers nothing', () => {
  expect(goneCardView('one', PRESENTATION)).toEqual({
    submissionId: 'one', title: 'Form Submission', state: 'gone', fields: [], notes: ['Not kept any more.'],
    actions: [], url: 'https://forms.example.com/submissions/one',
  })
})

test('the edit form offers every field under a stable id', () => {
  expect(editForm(OPEN, PRESENTATION)).toMatchObject({
    url: 'https://forms.example.com/submissions/one',
    inputs: [
      { id: 'f0', label: 'name' }, { id: 'f1', label: 'quantity', value: '2' }, { id: 'f2', label: 'tags' },
      { id: 'f3', label: 'note' },
    ],
  })
  expect(editForm({ ...OPEN, data: null }, PRESENTATION).inputs).toEqual([])
})

test('the edit form offers no input for a file that came as a text, and the others keep their ids', () => {
  const data = { name: 'Ada', signature: 'data:image/png;base64,iVBORw0KGgo=', note: 'Hi' }
  expect(editForm({ ...OPEN, data }, PRESENTATION).inputs.map(({ id }) => id)).toEqual(['f0', 'f2'])
})

test('an undecided submission has no decision line', () => expect(decisionLine(OPEN)).toBe(''))

test('times are read in UTC, whatever the time zone of the host', () => {
  expect(inUtc({ at: Date.UTC(2027, 0, 1, 0, 5), shows: 'date' })).toBe('1 Jan 2027, 00:05 UTC')
})

test('names and values that are not well-formed text are repaired for people', () => {
  const [field] = cardInWords({ ...OPEN, data: { 'a\uD800': 'b\uDC00' } }, PRESENTATION).fields
  expect(field).toMatchObject({ label: 'a\uFFFD', value: 'b\uFFFD' })
})
