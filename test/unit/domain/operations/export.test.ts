import { beforeEach, expect, test } from 'vitest'
import { csvStream } from '../../../../server/adapters/csv/csv'
import { exportTable, jsonArray } from '../../../../server/domain/operations/export'
import { openTriage, storeWaiting, type Triage } from '../../../fakes/triage'

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
const table = async () => {
  const { columns, rows } = await exportTable(triage, 'submissions')
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
  for (const id of ids) await triage.decide({ id, action: 'spam' })
  const { columns, rows } = await exportTable(triage, 'audit')
  expect([columns.at(-1), formsOf(await Array.fromAsync(rows))]).toEqual(['form', { [ids[0]!]: 'jobs', [ids[1]!]: '' }])
})

const inventedFields = (count: number, name = 'made up') => Object.fromEntries(
  Array.from({ length: count }, (_, index) => [`${name} ${index}`, index]),
)

test('the 500 fields that most forms have are columns, and what else a row has is in its last cell', async () => {
  const realData = { name: 'Ada', message: '=1+1' }
  const ids = await storeWaiting(triage, [
    { data: inventedFields(24_000) }, { data: realData }, { data: { ...realData, only: [1] } },
  ])
  const { columns, rows } = await table()
  expect([columns.length, columns.slice(5, 7), columns.at(-1)]).toEqual([
    5 + 500 + 1, ['field: name', 'field: message'], 'other fields',
  ])
  const [strangeRow, firstRow, lastRow] = ids.map(id => rows.find(row => row.id === id)!)
  expect(Object.keys(JSON.parse(strangeRow!['other fields'] as string) as object)).toHaveLength(24_000 - 498)
  expect(firstRow).toMatchObject({ 'field: name': 'Ada', 'field: message': '=1+1' })
  expect(firstRow).not.toHaveProperty(['other fields'])
  expect(JSON.parse(lastRow!['other fields'] as string)).toEqual({ only: 1 })
  const json = (await Array.fromAsync(jsonArray(triage, 'submissions'))).join('')
  expect(JSON.parse(json)).toMatchObject([
    { data: inventedFields(24_000) }, { data: realData }, { data: { ...realData, only: [1] } },
  ])
})

test('more names than are counted lose none of what many forms have', async () => {
  const realData = { name: 'Ada', message: 'Hello' }
  const strangeSubmissions = Array.from(
    { length: 110 }, (_, index) => ({ data: inventedFields(500, `form ${index} field`) }),
  )
  const realSubmissions = Array.from({ length: 5 }, () => ({ data: realData }))
  await storeWaiting(triage, [...strangeSubmissions, ...realSubmissions].toReversed())
  const { columns, rows } = await table()
  expect(columns.slice(5, 7)).toEqual(['field: name', 'field: message'])
  const cells = rows.flatMap(row => Object.entries(row).flatMap(([column, text]) => {
    if (column === 'other fields') return Object.keys(JSON.parse(text as string) as object)
    return column.startsWith('field: ') && text !== '' ? [column] : []
  }))
  expect(cells).toHaveLength(110 * 500 + 5 * 2)
})

test('a form that comes in while the columns are chosen breaks no row', async () => {
  await storeWaiting(triage, [{ data: { name: 'Ada' } }])
  const { columns, rows } = await exportTable(triage, 'submissions')
  await storeWaiting(triage, [{ data: { name: 'Grace' } }, { data: { name: 'Linus', other: 1 } }])
  expect(columns.slice(5)).toEqual(['field: name'])
  expect((await Array.fromAsync(rows)).map(row => row['field: name']).toSorted()).toEqual(['Ada', 'Grace'])
})

test('nothing to export is a table of columns, and an empty list', async () => {
  expect(await table()).toEqual({ columns: ['id', 'state', 'received at', 'expires at', 'form'], rows: [] })
  const json = (await Array.fromAsync(jsonArray(triage, 'audit'))).join('')
  expect(JSON.parse(json)).toEqual([])
})

const textOf = async ({ columns, rows }: Awaited<ReturnType<typeof exportTable>>) => (
  Buffer.concat(await csvStream(columns, rows).toArray() as Buffer[]).toString()
)

test('the export has a column for every field of any submission, and runs no formula', async () => {
  await triage.post({ name: '=HYPERLINK("https://evil.example")', note: 'a "quoted", line\nand another' })
  await triage.post(JSON.parse('{"__proto__": "kept", "total": -5, "phone": "+49 1", "tags": ["@x"]}'))
  const text = await textOf(await exportTable(triage, 'submissions'))
  const [head, ...lines] = text.split('\r\n')
  expect(head).toBe('\uFEFF"id","state","received at","expires at","form","field: __proto__","field: total","field: phone","field: tags","field: name","field: note"')
  expect(lines[0]).toContain(`,"kept","'-5","'+49 1","'@x","",""`)
  expect(text).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
  expect(text).toContain('"a ""quoted"", line\nand another"')
})

test('the export of the audit trail names who decided what and when, without form data', async () => {
  const id = await triage.post({ name: 'secret of Ada' })
  await triage.settle(triage.decide({ id, action: 'spam' }))
  const text = await textOf(await exportTable(triage, 'audit'))
  expect(text).toMatch(
    new RegExp(`^\uFEFF"id","outcome","at","reviewer","reviewer id","person","platform","to","received at","form"\r\n"${id}","spam","2026-11-21T[^,]+","Ada","U1","","Slack","","2026-11-21T[^,]+",""\r\n$`),
  )
  expect(text).not.toContain('secret')
})
