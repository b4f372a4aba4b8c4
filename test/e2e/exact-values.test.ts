import { describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardOf, click, deploy, idOf, openEdit, sendForm, submitEdit, submitForm } from '../support/deployment'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
import { startServer } from '../support/server'

/** Numbers that must arrive exactly as sent, at the endpoint and on every page */
const NUMBERS = ['12345678901234567890', '1.0', '1e400', '-0', '0.1000', '-1E-7']
const SENT = `{"id":12345678901234567890,"price":1.0,"huge":1e400,"zero":-0,"order":{"items":[{"sku":98765432109876543210,"amount":2.50}]},"__proto__":{"x":1.00},"plain":5}`

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))

async function forward(body: string): Promise<{ card: string, delivered: string, email: string }> {
  const id = await submitForm(d.server, body)
  const card = await cardOf(d, id)
  await click(d, card, 'forward', id)
  return {
    card: blockText(card.blocks), delivered: d.endpoint.requests.at(-1)!.body,
    email: (await d.resend.emails()).at(0)!.text,
  }
}

describe('what nobody edited', () => {
  it('reaches the endpoint as it was sent, and people read it so', async () => {
    const { card, delivered } = await forward(SENT)
    expect(delivered).toBe(SENT)
    for (const shown of [
      '12345678901234567890', '1e400', '-0', '98765432109876543210', '2.50',
    ]) expect(card).toContain(shown)
    for (const email of await d.resend.emails()) for (const shown of [
      '12345678901234567890', '1.0', '1e400', '98765432109876543210',
    ]) expect(email.text).toContain(shown)
  })

  it.each(NUMBERS)('%s stays beside a field that was edited, and in the exports', async (number) => {
    const id = await submitForm(d.server, `{"name":"Ada","number":${number},"list":[${number}]}`)
    const exported = await (await fetch(`${d.server.url}/api/exports/submissions.json`)).text()
    expect(exported).toContain(`"number":${number},"list":[${number}]`)
    expect(await (await fetch(`${d.server.url}/api/exports/submissions.csv`)).text()).toContain(`${number}"`)
    const details = await (await fetch(`${d.server.url}/api/submissions/${id}`)).json() as {
      fields: { label: string, kind: string, value: string }[]
    }
    expect(details.fields.slice(1)).toMatchObject([
      { kind: 'json', value: number }, { kind: 'json', value: number },
    ])
    const found = await (
      await fetch(`${d.server.url}/api/submissions?q=${encodeURIComponent(number)}`)
    ).json() as { rows: { id: string }[] }
    expect(found.rows.map(row => row.id)).toContain(id)
    const card = await cardOf(d, id)
    const view = await openEdit(d, card, id)
    await submitEdit(d, view, { f0: 'Grace' })
    expect(d.endpoint.requests.at(-1)!.body).toBe(`{"name":"Grace","number":${number},"list":[${number}]}`)
  })

  it('survives in the embedded store, and a restart of it', async () => {
    const env = { NODE_ENV: 'development', SANDBOX: '1', DATA_DIR: testFolder() }
    const first = await startServer(env)
    const id = await submitForm(first, SENT)
    await first.stop()
    const second = endAfterTest(await startServer(env))
    const { fields } = await (
      await fetch(`${second.url}/api/submissions/${id}`)
    ).json() as { fields: { value: string }[] }
    expect(fields.map(({ value }) => value)).toEqual([
      '12345678901234567890', '1.0', '1e400', '-0', '{"items":[{"sku":98765432109876543210,"amount":2.50}]}',
      '{"x":1.00}', '5',
    ])
  })
})

describe('a key that is repeated', () => {
  it.each([
    '{"a":1,"a":2}', '{"x":[{"deep":{"b":1,"b":1}}]}', '{"a":1,"\\u0061":2}', '{"__proto__":{},"__proto__":{}}',
  ])('in %s is 400 that says where, and nothing is stored', async (body) => {
    await d.server.drain()
    const before = d.slack.calls('chat.postMessage').length
    const response = await sendForm(d.server, body)
    expect(response.status).toBe(400)
    const said = expect.stringMatching(/repeats a key of an object, at position \d+/) as string
    expect(await response.json()).toEqual({ code: 'INVALID_SUBMISSION', error: said, message: said })
    await d.server.drain()
    expect(d.slack.calls('chat.postMessage')).toHaveLength(before)
  })

  it('of an HTML form keeps all its values', async () => {
    const response = await fetch(`${d.server.url}/api/form`, {
      method: 'POST', body: 'tag=a&name=Ada&tag=b&tag=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const id = await idOf(response)
    await click(d, await cardOf(d, id), 'forward', id)
    expect(d.endpoint.requests.at(-1)!.body).toBe('{"tag":["a","b","a"],"name":"Ada"}')
  })
})

it('numbers below thousands of levels are 400, not an error of ours', async () => {
  expect((await sendForm(d.server, `{"a":${'['.repeat(50_000)}1.0${']'.repeat(50_000)}}`)).status).toBe(400)
})
