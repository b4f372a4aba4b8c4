import { beforeEach, expect, test } from 'vitest'
import { ChatCommands } from '../../../../server/domain/conversation/commands'
import { listRows } from '../../../../server/domain/queries/listing'
import { RoomSubmissions } from '../../../../server/domain/queries/room-submissions'
import { searchFor } from '../../../../server/domain/queries/search'
import { formsOf } from '../../../fakes/forms'
import { openTriage, type Triage } from '../../../fakes/triage'
import { submissionOf } from '../../../fixtures/views'

const labels = { mail: 'E-mail address', __proto__x: 'Odd' }
const forms = formsOf({ labels }, { contact: { name: 'Contact us now', labels } })
const ID = '3f2a9b10-0000-4000-8000-00000000cafe'
const ADA = {
  name: 'Ada Lovelace', mail: 'ada@example.com', order: { engines: 2, colour: 'BRASS' }, note: 'a\u202Eb',
  site: 'at 12:30: https://ada.example', lines: 'two\nlines, not before:2026-02-30',
}
const adaSubmission = () => ({ ...submissionOf(ADA), id: ID, form: 'contact', receivedAt: Date.UTC(2026, 10, 20, 10) })

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
  ['a phrase in any case, whatever white space it has', '"ADA  lovelace"'],
  ['a phrase over lines', '“two lines”'],
  ['a phrase beside a word', 'brass "ada lovelace"'],
  ['a field by a part of its key', 'nam:lovelace'],
  ['a field by a part of its label', 'address:ada@'],
  ['a phrase in a field', 'name:"ada lovelace"'],
  ['a word with a colon that is no field', 'https://ada.example'],
  ['a time of day', '12:30'],
  ['whoever sent it, by name', 'from:lovelace'],
  ['whoever sent it, by address', 'FROM:ada@example.com'],
  ['whoever sent it, by a phrase', 'from:"ada lovelace"'],
  ['the day that it came on', 'after:2026-11-20'],
  ['the day after that', 'before:2026-11-21'],
  ['a minute', 'after:2026-11-20T09:59 before:2026-11-20T10:01'],
  ['its form by key', 'form:contact'],
  ['its form by a part of its name', 'form:"us now"'],
  ['a key with its colon before what looks like an operator', 'lines: before:'],
  ['what only looks like a day, as a word', 'before:2026-02-30'],
])('%s finds it', (_, text) => expect(searchFor(text, forms)(adaSubmission())).toBe(true))

test.each([
  ['a word that no field has', 'ada grace'],
  ['too little of the id', '3f2'],
  ['the end of the id', 'cafe'],
  ['what stands across two fields', 'lovelacemail'],
  ['words of a phrase in another order', '"lovelace ada"'],
  ['a phrase of two fields', '"lovelace ada@example.com"'],
  ['a phrase of key and value', '"name: ada"'],
  ['a value in another field', 'note:lovelace'],
  ['somebody else as sender', 'from:brass'],
  ['the day before it came', 'before:2026-11-20'],
  ['the very minute at which it came, as the end', 'before:2026-11-20T10:00'],
  ['the day after it came', 'after:2026-11-21'],
  ['a day that there is not', 'before:2026-13-01'],
  ['another form', 'form:default'],
  ['a quotation mark that does not end', '"ada'],
])('%s does not', (_, text) => expect(searchFor(text, forms)(adaSubmission())).toBe(false))

test('what was erased is found by its id only', () => {
  const erasedSubmission = { ...adaSubmission(), data: null }
  expect([searchFor('ada', forms)(erasedSubmission), searchFor(ID, forms)(erasedSubmission)]).toEqual([false, true])
})

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
test('the list, `show` and the agent\'s tool find the same', async () => {
  const ada = await triage.post(ADA)
  const grace = await triage.post({ name: 'Grace Hopper', mail: 'grace@example.com', order: { engines: 3 } })
  const context = { ...triage, forms: formsOf({ rooms: ['slack'], labels: { mail: 'E-mail address' } }) }
  const commands = new ChatCommands(context, triage.outbox)
  const room = new RoomSubmissions(context, triage.decisions, ['slack'])
  const searchEverywhere = async (text: string) => {
    const { rows } = await listRows({ limit: 10, q: text }, context)
    const answer = await commands.answer({ name: 'show', argument: text }, ['slack'])
    const { submissions } = await room.search(text, 10)
    const shownIds = 'card' in answer
      ? [answer.card.submissionId]
      : (answer.speech.items ?? []).map(({ link }) => link!.url.split('/').at(-1))
    return { list: rows.map(({ id }) => id), show: shownIds, tool: submissions.map(({ id }) => id) }
  }
  for (const [text, ids] of [
    ['ada engines', [ada]], ['LOVELACE brass', [ada]], ['address grace', [grace]], ['mail engines', [grace, ada]],
    [grace, [grace]], ['ada hopper', []], ['from:grace', [grace]], ['"ada lovelace" brass', [ada]], ['mail:ada', [ada]],
    ['after:2026-11-21', [grace, ada]], ['before:2026-11-21', []], ['"ada', []],
  ] as const) expect(await searchEverywhere(text), text).toEqual({ list: ids, show: ids, tool: ids })
})
