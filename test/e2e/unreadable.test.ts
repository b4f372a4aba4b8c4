import { createClient } from 'redis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deploy, submitForm, type Deployment } from '../support/deployment'

let d: Deployment
let client: ReturnType<typeof createClient>
beforeEach(async () => {
  d = await deploy({ NODE_ENV: 'development' })
  client = await createClient({ url: d.redis.url }).connect()
})
afterEach(async () => {
  await client.close()
  await d.close()
})

const rows = async () => {
  const page = await (await fetch(`${d.server.url}/api/submissions`)).json() as { rows: { id: string }[] }
  return page.rows.map(({ id }) => id)
}

test.each<[string, (id: string) => Promise<unknown>]>([
  ['a record that is no JSON', id => client.hSet(`{triage}:s:${id}`, 'r', '{"cards":"Marvin')],
  ['form data that is no JSON', id => client.set(`{triage}:d:${id}`, '{"name":"Marvin')],
  ['a list in place of form data', async (id) => {
    await client.del(`{triage}:d:${id}`)
    await client.lPush(`{triage}:d:${id}`, 'Marvin')
  }],
])('%s keeps nobody from all others, and the log says whose it is, once', async (_what, spoil) => {
  const ids = [await submitForm(d.server, { name: 'Ada' }), await submitForm(d.server, { name: 'Grace' })]
  const spoilt = await submitForm(d.server, { name: 'Marvin' })
  await d.server.drain()
  await spoil(spoilt)
  expect((await rows()).toSorted()).toEqual(ids.toSorted())
  for (const file of ['submissions.csv', 'submissions.json']) {
    const exported = await (await fetch(`${d.server.url}/api/exports/${file}`)).text()
    expect([...ids, spoilt].map(id => exported.includes(id))).toEqual([true, true, false])
  }
  expect((await fetch(`${d.server.url}/api/submissions/${spoilt}`)).status).toBe(500)
  const lines = d.server.output().split('\n').filter(line => /"(?:warn|error)"/.test(line))
  const told = lines.filter(line => line.includes('record.unreadable'))
  expect(told.map(line => JSON.parse(line) as object)).toEqual([expect.objectContaining({ submission: spoilt })])
  expect(lines.filter(line => line.includes('Marvin'))).toEqual([])
})
