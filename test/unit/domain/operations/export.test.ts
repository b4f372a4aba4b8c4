import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportTable, jsonArray } from '../../../../server/domain/operations/export'
import { ADA, openTriage, storeWaiting, type Triage } from '../../../fakes/triage'

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
afterEach(() => triage.close())

const table = async () => {
  const { columns, rows } = await exportTable(triage.store, 'submissions')
  return { columns, rows: await Array.fromAsync(rows) }
}

test('a field that only some forms have is an empty cell of the others, whatever it is called', async () => {
  await storeWaiting(triage, [
    { data: { name: 'Ada' } }, { data: JSON.parse('{"__proto__":"sent","constructor":1}') as Record<string, unknown> },
  ])
  const { columns, rows } = await table()
  expect(columns.slice(5).sort()).toEqual(['field: __proto__', 'field: constructor', 'field: name'])
  const cells = rows.map(row => ['name', '__proto__', 'constructor'].map(key => row[`field: ${key}`]))
  expect(cells).toHaveLength(2)
  expect(cells).toEqual(expect.arrayContaining([['Ada', '', ''], ['', 'sent', '1']]))
})

test('each line says whose form it is of, in both tables', async () => {
  const ids = await storeWaiting(triage, [{ form: 'jobs' }, {}])
  const formsOf = (rows: readonly object[]) => Object.fromEntries(
    (rows as { id: string, form: string }[]).map(({ id, form }) => [id, form]),
  )
  expect(formsOf((await table()).rows)).toEqual({ [ids[0]!]: 'jobs', [ids[1]!]: '' })
  for (const id of ids) await triage.review.decide(id, 'spam', ADA)
  const { columns, rows } = await exportTable(triage.store, 'audit')
  expect([columns.at(-1), formsOf(await Array.fromAsync(rows))]).toEqual(['form', { [ids[0]!]: 'jobs', [ids[1]!]: '' }])
})

test('500 fields have columns of their own; the JSON has all of them', async () => {
  const data = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, index]))
  await storeWaiting(triage, [{ data }])
  const { columns, rows: [row] } = await table()
  expect(columns).toHaveLength(5 + 500)
  expect(row).toMatchObject({ 'field: f0': '0', 'field: f499': '499' })
  const json = (await Array.fromAsync(jsonArray(triage.store, 'submissions'))).join('')
  expect(JSON.parse(json)).toMatchObject([{ data }])
})

test('nothing to export is a table of columns, and an empty list', async () => {
  expect(await table()).toEqual({ columns: ['id', 'state', 'received at', 'expires at', 'form'], rows: [] })
  const json = (await Array.fromAsync(jsonArray(triage.store, 'audit'))).join('')
  expect(JSON.parse(json)).toEqual([])
})
