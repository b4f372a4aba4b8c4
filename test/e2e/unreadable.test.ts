import { createClient } from 'redis'
import { beforeEach, expect, test } from 'vitest'
import type { Work } from '../../server/ports/submission'
import { cardNow, cardOf, click, deploy, submitForm, type Deployment } from '../support/deployment'
import { endAfterTest, formsFile, testFolder } from '../support/lifetime'
import { become, seed, waiting } from '../support/seed'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { kept, png, sendFiles } from '../support/uploads'
import { postJson } from '../support/webhook'

let dir: string
let d: Deployment
let client: ReturnType<typeof createClient>
beforeEach(async () => {
  dir = testFolder()
  const FORMS_CONFIG = formsFile({ jobs: { name: 'Jobs', files: { max: 1 } } }, dir)
  d = endAfterTest(await deploy({ NODE_ENV: 'development', SWEEP_INTERVAL_MS: '50', DATA_DIR: dir, FORMS_CONFIG }))
  client = endAfterTest(await createClient({ url: d.redis.url }).connect())
})

const rows = async (query = '') => {
  const page = await (await fetch(`${d.server.url}/api/submissions${query}`)).json() as { rows: { id: string }[] }
  return page.rows.map(({ id }) => id)
}

const post = (path: string, body: object) => postJson(d.server.url + path, body)

/** Kinds of damage to a submission; the last value is true if its cards are still known. */
const SPOILT: [string, (id: string) => Promise<unknown>, boolean][] = [
  ['a record that is no JSON', id => client.hSet(`{triage}:s:${id}`, 'r', '{"cards":"Marvin'), false],
  ['form data that is no JSON', id => client.set(`{triage}:d:${id}`, '{"name":"Marvin'), true],
  ['a list in place of form data', async (id) => {
    await client.del(`{triage}:d:${id}`)
    await client.lPush(`{triage}:d:${id}`, 'Marvin')
  }, true],
]

test.each(SPOILT)('%s keeps nobody from all others; who asks for it is told, and it is erased by its id', async (
  _what, spoil, isCardKnown,
) => {
  const ids = [await submitForm(d.server, { name: 'Ada' }), await submitForm(d.server, { name: 'Grace' })]
  const sent = await sendFiles(d.server, '/api/form/jobs', { name: 'Marvin' }, [{ name: 'me.png', content: png }])
  const { submissionId: id } = await sent.json() as { submissionId: string }
  const card = await cardOf(d, id)
  await d.server.drain()
  await spoil(id)
  await client.zAdd('{triage}:due', { score: 1, value: id })
  await until('a sweep', async () => (await client.zScore('{triage}:due', id))! > 1)
  expect((await rows()).toSorted()).toEqual(ids.toSorted())
  expect(await (await fetch(`${d.server.url}/api/submissions`)).json()).toMatchObject({ unreadable: [id] })
  for (const [file, line] of [
    ['submissions.csv', `"${id}","unreadable",""`], ['submissions.json', `{"id":"${id}","state":"unreadable"}`],
  ]) {
    const exported = await (await fetch(`${d.server.url}/api/exports/${file}`)).text()
    expect([...ids, line!].filter(text => !exported.includes(text))).toEqual([])
  }

  await click(d, card, 'forward', id)
  await d.server.drain()
  expect(d.slack.calls('chat.postEphemeral').map(call => JSON.stringify(call))).toEqual([
    expect.stringMatching(/cannot be read: .* It cannot be decided\./),
  ])
  const path = `/api/submissions/${id}`
  const said = expect.stringContaining(`cannot be read: it was damaged`) as string
  for (const answer of [
    await fetch(d.server.url + path), await post(`${path}/decision`, { action: 'forward' }),
    await post(`${path}/decision`, { action: 'take' }),
  ]) expect([answer.status, await answer.json()]).toEqual([
    500, { code: 'SUBMISSION_UNREADABLE', error: said, message: said },
  ])
  const forgotten = await post('/api/submissions/erase', { text: 'Marvin' })
  expect(await forgotten.json()).toMatchObject({ erased: 0, unreadable: [id], before: null, unreachable: [
    '1 submission cannot be read and may contain it, too: DELETE /api/submissions/<id> erases one.', expect.anything(),
  ] })
  const erased = await post(`${path}/decision`, { action: 'erase', press: 'one' })
  expect([erased.status, await erased.json()]).toEqual([200, { status: 'decided' }])
  await d.server.drain()
  const over = await fetch(d.server.url + path)
  expect([over.status, await over.json()]).toEqual([410, expect.objectContaining({
    error: expect.stringMatching(/^Erased by /) as string,
  })])
  expect(JSON.stringify(await cardNow(d, card)).includes('Form Submission erased')).toBe(isCardKnown)
  expect([await kept(dir, id), await client.exists(`{triage}:d:${id}`)]).toEqual([[], 0])
  const [{ outcome, receivedAt }] = (await client.zRange('{triage}:audit', 0, -1)).map(
    line => JSON.parse(line) as { outcome: string, receivedAt: number },
  ) as [{ outcome: string, receivedAt: number }]
  expect([outcome, receivedAt < Date.now() && receivedAt > Date.now() - 60_000]).toEqual(['erased', true])
  expect(await (await post('/api/submissions/erase', { text: 'Marvin' })).json()).toMatchObject({ unreadable: [] })
  const lines = d.server.output().split('\n').filter(line => /"(?:warn|error)"/.test(line))
  const told = lines.filter(line => line.includes('record.unreadable'))
  expect(told.map(line => JSON.parse(line) as object)).toEqual([expect.objectContaining({ submission: id })])
  expect(lines.filter(line => /Marvin|sweep\.failed/.test(line))).toEqual([])
})

test('a trace or line of the audit trail that is no JSON keeps nobody from what ended, nor from erasing', async () => {
  const [kept, spoilt] = [
    await submitForm(d.server, { email: 'ada@example.com' }), await submitForm(d.server, { email: 'ada@example.com' }),
  ]
  const waits = await submitForm(d.server, { email: 'ada@example.com' })
  for (const id of [kept, spoilt]) await post(`/api/submissions/${id}/decision`, { action: 'spam' })
  await d.server.drain()
  expect(await client.hSet(`{triage}:s:${spoilt}`, 'r', '{"version":2,')).toBe(0)
  await client.zAdd('{triage}:audit', { score: Date.now(), value: '{"id":' })
  expect(await rows('?state=done')).toEqual([kept])
  const erased = await post('/api/submissions/erase', { email: 'ada@example.com' })
  expect([erased.status, await erased.json()]).toEqual([200, expect.objectContaining({ erased: 1, before: null })])
  expect(await rows()).not.toContain(waits)
})

test('one that waits for a person and is no JSON keeps a start from no other, nor those that are chosen', async () => {
  await d.server.kill()
  const work: Work[] = [{
    key: 'post:slack', kind: 'post', room: 'slack', attempts: 1, dueAt: Date.now() + 3_600_000, refused: true,
    reason: 'The channel is archived.',
  }]
  await seed(d.redis.url, ['spoilt', 'left'].map(id => waiting({ id, cards: [] })))
  for (const id of ['spoilt', 'left']) await become(d.redis.url, id, { work })
  await client.hSet('{triage}:s:spoilt', 'r', '[')
  d.server = await startServer(d.env)
  await until('the card of the other', () => d.slack.calls('chat.postMessage').length > 0)
  const chosen = await postJson(`${d.server.url}/api/submissions/search`, '{"ids":["spoilt","left"]}')
  expect([chosen.status, await chosen.json()]).toEqual([200, expect.objectContaining({ found: ['left'] })])
})
