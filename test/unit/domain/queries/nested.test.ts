import { beforeEach, expect, test } from 'vitest'
import { cardView } from '../../../../server/domain/cards/card-view'
import { parseJson } from '../../../../server/domain/json'
import { exportTable } from '../../../../server/domain/operations/export'
import { listRows } from '../../../../server/domain/queries/listing'
import type { OpsSubmissions } from '../../../../server/domain/queries/ops-submissions'
import { openTriage, submissionsIn, type Triage } from '../../../fakes/triage'

const LOCAL = { id: 'local', name: 'Local', platform: 'Ops page', role: 'reviewer' } as const
const SENT = '{"event_id":"e1","event_type":"form_response","form_response":{"token":"t1","definition":{"fields":['
  + '{"id":"q1","title":"Your name","type":"short_text"},{"id":"q2","title":"Price","type":"number"},'
  + '{"id":"q3","title":"Topics","type":"multiple_choice"},{"id":"q4","title":"Address","type":"address"}]},"answers":['
  + '{"type":"text","text":"Ada","field":{"id":"q1"}},{"type":"number","number":1.50,"field":{"id":"q2"}},'
  + '{"type":"choices","choices":{"ids":["c1","c2"],"labels":["Engines","Maths"]},"field":{"id":"q3"}},'
  + '{"type":"address","address":{"city":"Vienna","flat":{"floor":2,"doors":["a","b"]}},"field":{"id":"q4"}}]}}'

let triage: Triage
let submissions: OpsSubmissions
let id: string
beforeEach(async () => {
  triage = await openTriage()
  submissions = submissionsIn(triage)
  id = await triage.post(parseJson(SENT))
})

test('its card, row and page have the questions with their answers, and the page has all else folded', async () => {
  const texts = [['Your name', 'Ada'], ['Price', '1.50'], ['Topics', 'Engines\nMaths']]
  const address = ['Address', 'city: Vienna\nflat:\n  floor: 2\n  doors: a, b']
  const { fields } = cardView((await triage.store.get(id))!, { forms: triage.forms, siteUrl: null })
  expect(fields.slice(0, 4).map(({ label, value }) => [label, value])).toEqual([...texts, address])
  expect(fields.slice(4).map(({ label }) => label)).toEqual(['Technical details'])
  const { rows } = await listRows({ limit: 10 }, triage)
  expect(rows[0]!.preview.map(({ label }) => label)).toEqual(['Your name', 'Price', 'Topics', 'Address'])
  expect(rows[0]!.more).toBe(0)
  const shown = await submissions.show(id, LOCAL)
  expect(shown.fields.map(({ label, kind, value }) => [label, kind, value])).toEqual([
    ['Your name', 'text', 'Ada'], ['Price', 'json', '1.50'], ['Topics', 'text', 'Engines\nMaths'],
    ['Address', 'tree', '{"city":"Vienna","flat":{"floor":2,"doors":["a","b"]}}'],
  ])
  expect(shown.fields[0]!.key).toBe('form_response.answers.0.text')
  expect(shown.technical.map(({ key }) => key)).toEqual(expect.arrayContaining(['event_id', 'form_response.token']))
  expect(shown.sent).toBe(SENT)
})

test('an edit changes one value of what the endpoint gets, and is told with what was there', async () => {
  const field = (await submissions.show(id, LOCAL)).fields[2]!
  await triage.settle(submissions.decide(id, { action: 'edit', values: { [field.id]: 'Engines\nPoetry' } }, LOCAL))
  expect(triage.endpoint.calls.at(-1)!.body).toBe(SENT.replace('"Maths"', '"Poetry"'))
  const { text } = triage.mailer.calls.at(-1)!.email
  const fields = JSON.parse(text) as { label: string, tree?: object[] }[]
  expect(fields[2]).toEqual({ label: 'Topics', value: 'Engines\nPoetry', edited: true, was: 'Engines\nMaths' })
  expect(fields[3]!.tree).toHaveLength(6)
  expect(fields.map(({ label }) => label)).toEqual(['Your name', 'Price', 'Topics', 'Address', 'Technical details'])
})

test.each([
  'maths', 'city:vienna', 'topics:engines', '"your name:"', 'address:vienna', 'form_response.answers.0.text:ada',
  'event_id:e1',
])('it is found by %s', async (q) => {
  const { rows } = await listRows({ limit: 10, q }, triage)
  expect(rows.map(row => row.id)).toEqual(q === 'city:vienna' ? [] : [id])
})

test('the agent reads it by its labels, and changes it by label or path', async () => {
  const shown = await triage.submissions.get(id)
  expect(Object.keys(shown!.data!).slice(0, 4)).toEqual(['Your name', 'Price', 'Topics', 'Address'])
  expect(shown!.data).toMatchObject({ 'Your name': 'Ada', 'Topics': ['Engines', 'Maths'], 'event_id': 'e1' })
  const change = (field: string) => triage.settle(triage.submissions.decide({
    id, action: 'forward', person: LOCAL, changes: [{ field, value: 'Grace' }],
  }))
  expect(await change('event_id')).toMatchObject({ kind: 'unchanged', message: expect.stringContaining('"Your name"') })
  expect(await change('form_response.answers.0.text')).toMatchObject({ kind: 'done' })
  expect(triage.endpoint.calls.at(-1)!.body).toBe(SENT.replace('"Ada"', '"Grace"'))
})

test('the export has a column for each question', async () => {
  await triage.post({ 'Your name': 'Grace', 'tags': ['a', 'b'] })
  const { columns, rows } = await exportTable(triage, 'submissions')
  const [grace, ada] = await Array.fromAsync(rows)
  expect(columns).toEqual(expect.arrayContaining(['field: Your name', 'field: Topics', 'field: event_id']))
  expect(grace).toMatchObject({ 'field: Your name': 'Grace', 'field: tags': '["a","b"]', 'field: Topics': '' })
  expect(ada).toMatchObject({
    'field: Your name': 'Ada', 'field: Price': '1.50', 'field: Topics': '["Engines","Maths"]',
  })
})
