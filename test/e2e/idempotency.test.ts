import { expect, it } from 'vitest'
import { cardOf, click, deploy, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const API_KEY = 'a-key-for-servers-0123456789'

const d = endAfterAll(await deploy({ TRUST_PROXY: '1', FORM_ALLOWED_ORIGINS: 'https://shop.example', FORM_API_KEY: API_KEY }))
const other = endAfterAll(await startServer(d.env))

async function send(
  server: Server, key: string,
  { body = { name: 'Ada' }, client = '203.0.113.1', apiKey }: { body?: unknown, client?: string, apiKey?: string } = {},
) {
  const response = await sendForm(server, body, {
    'idempotency-key': key, 'x-forwarded-for': client,
    ...apiKey ? { 'x-api-key': apiKey } : { origin: 'https://shop.example' },
  })
  return {
    ...await response.json() as { submissionId: string, code?: string, error?: string }, status: response.status,
  }
}

/** Returns how many cards were posted, once the card queue is empty on both processes. */
async function cards(act: () => Promise<unknown>): Promise<number> {
  const posted = () => d.slack.messages().then(({ length }) => length)
  const before = await posted()
  await act()
  await d.server.drain()
  await other.drain()
  return await posted() - before
}

it('the same key gives the same id and one card, on both processes', async () => {
  const posted = await cards(async () => {
    const first = await send(d.server, 'form-1')
    await cardOf(d, first.submissionId)
    for (const server of [d.server, other]) expect(await send(server, 'form-1')).toEqual(first)
  })
  expect(posted).toBe(1)
})

it('another form under the same key is 422 on both processes, and the first one is as it was', async () => {
  const posted = await cards(async () => {
    const first = await send(d.server, 'form-other')
    for (const server of [d.server, other]) for (const body of [
      { name: 'somebody else' }, { name: 'Ada', more: 1 }, { name: 'Ada', _subject: 'Another one' },
    ]) expect(await send(server, 'form-other', { body })).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' })
    expect(await send(other, 'form-other')).toEqual(first)
  })
  expect(posted).toBe(1)
})

it('thirty requests at the same instant on two processes are one submission and one card', async () => {
  const posted = await cards(async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send(index % 2 ? d.server : other, 'form-2')),
    )
    expect(new Set(answers.map(({ status, submissionId }) => `${status} ${submissionId}`)).size).toBe(1)
    await cardOf(d, answers[0]!.submissionId)
  })
  expect(posted).toBe(1)
})

it('a form that was decided is not posted again', async () => {
  const { submissionId } = await send(d.server, 'form-3')
  const card = await cardOf(d, submissionId)
  await click(d, card, 'spam', submissionId)
  await until(
    'the card closed',
    async () => !JSON.stringify((await d.slack.messages()).find(({ ts }) => ts === card.ts)).includes('"actions"'),
  )
  expect(await cards(async () => expect((await send(other, 'form-3')).submissionId).toBe(submissionId))).toBe(0)
})

it('clients that use the same key do not meet; those of one /64, and those with the API key, are one client', async () => {
  const id = async (options: Parameters<typeof send>[2]) => (await send(d.server, 'form-4', options)).submissionId
  const ids = [
    await id({}), await id({ client: '203.0.113.2' }), await id({ client: '2001:db8::1' }),
    await id({ apiKey: API_KEY }),
  ]
  expect(new Set(ids).size).toBe(4)
  expect(await id({ client: '2001:db8::ffff' })).toBe(ids[2])
  expect(await id({ client: '203.0.113.9', apiKey: API_KEY })).toBe(ids[3])
})

it('without a key, or with an empty one, every form is a new one', async () => {
  expect((await send(d.server, '')).submissionId).not.toBe((await send(d.server, '')).submissionId)
})

it('255 characters are accepted, one more is 400 that names the header', async () => {
  expect((await send(d.server, 'k'.repeat(255))).status).toBe(200)
  expect(await send(d.server, 'k'.repeat(256))).toMatchObject({
    status: 400, error: expect.stringContaining('Idempotency-Key'),
  })
})

it('neither the key nor the address is in Redis or in the log', async () => {
  await send(d.server, 'secret-order-number', { client: '203.0.113.77' })
  const { createClient } = await import('redis')
  const client = createClient({ url: d.redis.url })
  await client.connect()
  const keys = await client.keys('*')
  const values = await Promise.all(keys.filter(key => key.startsWith('{triage}:i:')).map(key => client.get(key)))
  client.destroy()
  expect(values.length).toBeGreaterThan(0)
  expect(`${keys.join()} ${values.join()} ${d.server.output()}`).not.toMatch(/secret-order-number|203\.0\.113\.77/)
})
