import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChatCommands } from '../../server/domain/conversation/commands'
import { listRows } from '../../server/domain/submission/overview'
import { RoomSubmissions } from '../../server/domain/submission/room-submissions'
import { searchFor } from '../../server/domain/submission/search'
import { formsOf } from '../fakes/forms'
import { openTriage, type Triage } from '../fakes/triage'
import { submissionOf } from '../fixtures/views'

const forms = formsOf({ labels: { mail: 'E-mail address', __proto__x: 'Odd' } })
const ID = '3f2a9b10-0000-4000-8000-00000000cafe'
const ADA = { name: 'Ada Lovelace', mail: 'ada@example.com', order: { engines: 2, colour: 'BRASS' }, note: 'a\u202Eb' }

test.each([
  ['a word of a value', 'lovelace'],
  ['words of several fields, in any order and case', 'ENGINES ada  brass'],
  ['a key', 'mail'],
  ['the label that people read instead of a key', 'address'],
  ['a key with its colon', 'name: ada'],
  ['a label with its colon', 'E-mail address: ada'],
  ['a nested number', 'engines 2'],
  ['the whole id', ID],
  ['the beginning of the id, in any case', '3F2A'],
  ['the beginning of the id and a word', '3f2a9b10 ada'],
  ['a hidden character as it came', 'a\u202Eb'],
  ['a hidden character as cards show it', 'a⟨U+202E⟩b'],
  ['no word at all', ' \n '],
])('%s finds it', (_, text) => {
  expect(searchFor(text, forms)({ ...submissionOf(ADA), id: ID })).toBe(true)
})

test.each([
  ['a word that no field has', 'ada grace'],
  ['too little of the id', '3f2'],
  ['the end of the id', 'cafe'],
  ['what stands across two fields', 'lovelacemail'],
])('%s does not', (_, text) => {
  expect(searchFor(text, forms)({ ...submissionOf(ADA), id: ID })).toBe(false)
})

test('what was erased is found by its id only', () => {
  const erased = { ...submissionOf(ADA), id: ID, data: null }
  expect([searchFor('ada', forms)(erased), searchFor(ID, forms)(erased)]).toEqual([false, true])
})

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
afterEach(() => triage.close())

test('the list, `show` and the agent\'s tool find the same', async () => {
  const ada = await triage.post(ADA)
  const grace = await triage.post({ name: 'Grace Hopper', mail: 'grace@example.com', order: { engines: 3 } })
  const ports = { ...triage, presentation: {
    ...triage.presentation, forms: formsOf({ rooms: ['slack'], labels: { mail: 'E-mail address' } }),
  } }
  const commands = new ChatCommands({ ...ports, platforms: [] })
  const room = new RoomSubmissions(ports, ['slack'])
  const found = async (text: string) => {
    const { rows } = await listRows({ limit: 10, q: text }, ports)
    const answer = await commands.answer({ name: 'show', argument: text }, ['slack'])
    const { submissions } = await room.search(text, 10)
    const shown = 'card' in answer
      ? [answer.card.submissionId]
      : (answer.speech.items ?? []).map(({ link }) => link!.url.split('/').at(-1))
    return { list: rows.map(({ id }) => id), show: shown, tool: submissions.map(({ id }) => id) }
  }
  for (const [text, ids] of [
    ['ada engines', [ada]], ['LOVELACE brass', [ada]], ['address grace', [grace]], ['mail engines', [grace, ada]],
    [grace, [grace]], ['ada hopper', []],
  ] as const) expect(await found(text), text).toEqual({ list: ids, show: ids, tool: ids })
})
