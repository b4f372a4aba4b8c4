import { expect, it } from 'vitest'
import { cardOf, deploy, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startServer, type Server } from '../support/server'

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
