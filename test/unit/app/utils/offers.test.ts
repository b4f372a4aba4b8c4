import { expect, test } from 'vitest'
import { isOfferedOnRow, offersOn } from '../../../../app/utils/offers'
import type { SubmissionDetails } from '../../../../shared/types/submissions'
import { only } from '../../../fakes/only'

const details = (changes: Partial<SubmissionDetails>) => only<SubmissionDetails>({
  open: false, state: 'done', mayDecide: true, mayErase: false, taking: null, revocation: null, sendAgain: null,
  ...changes,
})

test.each<[string, Partial<SubmissionDetails>, string[]]>([
  ['waits', { open: true, state: 'waiting' }, ['forward', 'edit', 'spam']],
  ['may be erased', { open: true, state: 'failed', mayErase: true }, ['forward', 'edit', 'spam', 'erase']],
  ['came back', { open: true, state: 'failed', sendAgain: 'ada@example.com' }, ['resend', 'edit', 'spam']],
  ['is free', { open: true, state: 'waiting', taking: 'take' }, ['forward', 'edit', 'spam', 'take']],
  ['is the viewer\'s', { open: true, state: 'waiting', taking: 'hand-back' }, ['forward', 'edit', 'spam', 'hand-back']],
  ['is held', { state: 'held', mayErase: true }, ['release', 'erase']],
  ['is about to leave', { state: 'delivering', revocation: { action: 'undo', until: 1 } }, ['undo']],
  ['is spam', { state: 'spam', revocation: { action: 'reopen', until: 1 }, mayErase: true }, ['reopen', 'erase']],
  ['is over', {}, []],
])('a submission that %s has its actions', (_, changes, actions) => {
  expect(offersOn(details(changes))).toEqual(actions)
})

test.each([false, null])('whoever may not decide (%j) has none', (mayDecide) => {
  expect(offersOn(details({ open: true, state: 'waiting', mayDecide }))).toEqual([])
})

test('a row can be taken while it is open and free, where assignment is on', () => {
  const holder = { name: 'Ada', platform: 'Slack', since: 0 }
  expect(isOfferedOnRow('take', { open: true, holder: null }, true)).toBe(true)
  expect(isOfferedOnRow('take', { open: true, holder }, true)).toBe(false)
  expect(isOfferedOnRow('take', { open: true, holder: null }, false)).toBe(false)
  expect(isOfferedOnRow('forward', { open: true, holder }, false)).toBe(true)
  expect(isOfferedOnRow('spam', { open: false, holder: null }, true)).toBe(false)
})
