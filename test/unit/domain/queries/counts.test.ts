import { beforeEach, expect, test } from 'vitest'
import { countChoices } from '../../../../server/domain/queries/listing'
import type { PageRequest } from '../../../../server/ports/store'
import type { Submission } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { openTriage, type Triage } from '../../../fakes/triage'
import { waiting } from '../../../support/seed'

let triage: Triage
const forms = formsOf({ rooms: ['slack', 'discord/1'], claim: 'soft' }, { contact: { name: 'Contact', claim: 'soft' } })
beforeEach(async () => { triage = await openTriage() })
const context = () => ({ ...triage, forms })
const store = (changes: Partial<Submission> = {}) => triage.store.create(waiting({
  receivedAt: triage.runtime.now(), cards: [], ...changes,
}))
const failedSubmission = { failures: [{ delivery: 'email' as const, reason: 'no' }] }
const holder = { id: 'U1', name: 'Ada', platform: 'Slack', who: 'ada', since: 0, until: Number.MAX_SAFE_INTEGER }

test('each choice is counted with the rest of the filter as it is', async () => {
  await store({ data: { name: 'Ada' }, form: 'contact' })
  await store({ data: { name: 'Ada' }, ...failedSubmission, holder })
  await store({ data: { name: 'Lin' }, cards: [{ platform: 'slack', threadId: 't', messageId: 'm' }] })
  await store({ state: 'held', data: { name: 'Ada' } })
  const doneId = await triage.post({ name: 'Ada' })
  await triage.settle(triage.decide({ id: doneId, action: 'spam' }))
  expect(await countChoices({ who: 'ada' }, context())).toEqual({
    states: { all: 3, waiting: 2, delivering: 0, retrying: 0, failed: 1, held: 1, spam: 0, done: 1 },
    holders: { mine: 1, free: 2, taken: 1 },
    forms: [{ key: '-', label: 'Default form', count: 2 }, { key: 'contact', label: 'Contact', count: 1 }],
    platforms: [{ key: 'slack', label: 'Slack', count: 1 }, { key: 'discord', label: 'Discord', count: 0 }],
  })
  expect(await countChoices({ q: 'ada', form: 'contact' }, context())).toMatchObject({
    states: { all: 1, waiting: 1, failed: 0, held: 0, done: null }, holders: { free: 1, taken: 0 },
    forms: [{ count: 1 }, { count: 1 }],
  })
  expect(await countChoices({ state: 'done' }, context())).toMatchObject({
    states: { all: 3, done: 1 }, holders: { mine: null }, forms: [{ count: null }, { count: null }],
  })
})

test('of a list that is too long to be read, what its shorter indexes have is known, and how long it is', async () => {
  await store({ ...failedSubmission, holder })
  await store({ holder: { ...holder, who: 'lin' }, form: 'contact' })
  for (let count = 0; count < 1000; count++) await store()
  let reads = 0
  const countingContext = { ...context(), store: Object.assign(Object.create(triage.store), {
    listPending: (page: PageRequest) => {
      reads++
      return triage.store.listPending(page)
    },
  }) }
  expect(await countChoices({ who: 'ada' }, countingContext)).toMatchObject({
    states: { all: 1002, waiting: null, delivering: null, retrying: null, failed: 1, held: 0, spam: 0, done: 0 },
    holders: { mine: 1, free: 1000, taken: 2 }, forms: [{ count: null }, { count: null }],
  })
  expect(reads).toBe(5)
  expect(await countChoices({ q: 'ada', who: 'ada' }, countingContext)).toMatchObject({
    states: { all: null, waiting: null, failed: 1, held: 0 }, holders: { mine: 1, free: null, taken: 2 },
  })
  expect(await countChoices({ holder: 'taken' }, countingContext)).toMatchObject({
    states: { all: 2, waiting: 1, failed: 1 }, holders: { free: 1000 }, forms: [{ count: 1 }, { count: 1 }],
  })
  expect(await countChoices({ form: 'contact' }, countingContext)).toMatchObject({ holders: { free: null, taken: 1 } })
})
