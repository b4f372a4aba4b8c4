import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cardEdits, cardOf, deploy, idOf } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { blockActions, interact } from '../support/slack'
import { until } from '../support/until'
import { buildForVercel, coldStart, type Invocation } from '../support/vercel'
import { postJson } from '../support/webhook'

const SECRET = 'a-secret-of-some-length'

const build = await buildForVercel()
afterAll(() => build.remove())
const d = endAfterAll(await deploy())
// Kill the usual server: its sweeps would finish work that the functions left.
await d.server.kill()
const env = { ...d.env, VERCEL: '1', CRON_SECRET: SECRET }

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const projectConfig = json(resolve(import.meta.dirname, '../../vercel.json')) as {
  crons: { path: string, schedule: string }[]
}
const functionOf = (route: string) => join(build.dir, `functions${route}.func`)

const configOf = () => json(join(build.dir, 'config.json')) as {
  version: number
  routes: { src?: string, dest?: string }[]
}

/** Returns the function that answers a path: the function of that name, or the target of the first matching route. */
function functionAt(path: string): string {
  if (existsSync(functionOf(path))) return functionOf(path)
  const route = configOf().routes.find(({ src, dest }) => src && dest && new RegExp(`^${src}$`).test(path))
  return functionOf(route?.dest ?? path)
}

const sendForm = ({ url }: Invocation, body = '{"name":"Ada"}'): Promise<Response> => postJson(`${url}/api/form`, body)

/** Starts an instance and returns its answer. Retries if a busy machine does not start one in time. */
function invoked(
  route: string, ask: (invocation: Invocation) => Promise<Response>,
): Promise<{ invocation: Invocation, response: Response }> {
  return until(`an answer of ${route}`, async () => {
    const invocation = await coldStart(functionOf(route), env)
    const response = await ask(invocation)
    if (response.status !== 503) return { invocation, response }
    await invocation.frozen
    return null
  })
}

describe('the build', () => {
  it('runs on a Node that Vercel offers, for as long as the listener of ten minutes takes', () => {
    expect(json(join(functionOf('/__fallback'), '.vc-config.json'))).toMatchObject({
      runtime: expect.stringMatching(/^nodejs(22|24)\.x$/), maxDuration: 660, launcherType: 'Nodejs',
      shouldAddHelpers: false,
    })
  })

  it('routes every path to a function that exists', () => {
    const { version, routes } = configOf()
    expect(version).toBe(3)
    const destinations = routes.flatMap(({ dest }) => dest ?? [])
    expect(destinations).toEqual(expect.arrayContaining(['/api/form', '/api/webhooks/[platform]', '/__fallback']))
    for (const dest of destinations) expect(existsSync(join(functionOf(dest), 'index.mjs')), dest).toBe(true)
  })

  it('has a function for each scheduled path: the gateway every nine minutes, the sweep every minute', () => {
    expect(projectConfig.crons).toEqual([
      { path: '/api/discord/gateway', schedule: '*/9 * * * *' },
      { path: '/api/cron/sweep', schedule: '* * * * *' },
    ])
    for (const { path } of projectConfig.crons) {
      expect(existsSync(functionAt(path)), path).toBe(true)
      expect(functionAt(path)).not.toBe(functionOf('/__fallback'))
    }
  })
})

describe('a function', () => {
  it('lives until the card is posted and written down, although Slack is slower than the answer', async () => {
    let answer = () => {}
    const held = new Promise<void>((resolve) => { answer = resolve })
    d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? { hold: held } : undefined
    const { invocation, response } = await invoked('/api/form', sendForm)
    const id = await idOf(response)
    expect(await d.slack.messages()).toEqual([])
    answer()
    await invocation.frozen
    d.slack.fault = () => undefined
    const card = await cardOf(d, id)
    expect(await recordOf(id)).toMatchObject({ state: 'open', cards: [{ platform: 'slack', messageId: card.ts }] })
  })

  it('lives until a forward is delivered, the card closed and only the trace left', async () => {
    const form = await invoked('/api/form', sendForm)
    const id = await idOf(form.response)
    await form.invocation.frozen
    const card = await cardOf(d, id)
    const payload = blockActions(card, 'forward', id, d.slack.reviewer)
    const click = await invoked('/api/webhooks/[platform]', ({ url }) => interact(url, payload, { isOnce: true }))
    expect(click.response.status).toBe(200)
    await click.invocation.frozen
    expect(await d.resend.emails()).toHaveLength(1)
    expect(d.endpoint.requests.map(({ body }) => body)).toEqual(['{"name":"Ada"}'])
    expect(cardEdits(d).final).toHaveLength(1)
    expect(await recordOf(id)).toMatchObject({ state: 'settled', decision: { action: 'forward' } })
  })

  it('of the cron does what failed before', async () => {
    d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? { status: 500 } : undefined
    const form = await invoked('/api/form', sendForm)
    const id = await idOf(form.response)
    await form.invocation.frozen
    d.slack.fault = () => undefined
    expect((await d.slack.messages()).filter(({ blocks }) => JSON.stringify(blocks).includes(id))).toEqual([])
    await until('the card', async () => {
      const cron = await coldStart(functionOf('/api/cron/sweep'), env)
      const response = await fetch(`${cron.url}/api/cron/sweep`, { headers: { authorization: `Bearer ${SECRET}` } })
      await cron.frozen
      // A slow store may delay a cold start too long. The next cron call tries again.
      if (response.status !== 200) return false
      return (await d.slack.messages()).some(({ blocks }) => JSON.stringify(blocks).includes(id))
    })
  })

  it('of the gateway listens on after its answer', async () => {
    const discord = endAfterTest(await startDiscord())
    const invocation = endAfterTest(await coldStart(functionAt('/api/discord/gateway'), { ...env, ...discord.env }))
    const response = await fetch(
      `${invocation.url}/api/discord/gateway`, { headers: { authorization: `Bearer ${SECRET}` } },
    )
    expect(await response.json()).toMatchObject({ status: 'listening' })
    await until('the session', () => discord.gateway.identifies === 1 && discord.gateway.live() === 1)
  })
})

/** Returns the record of a submission in Redis, without its data. */
async function recordOf(id: string): Promise<unknown> {
  const { createClient } = await import('redis')
  const client = await createClient({ url: d.redis.url }).connect()
  const record = await client.hGet(`{triage}:s:${id}`, 'r')
  client.destroy()
  return record === null ? null : JSON.parse(record)
}
