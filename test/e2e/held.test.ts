import { describe, expect, it } from 'vitest'
import { cardOf, click, deploy, sendForm, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startServer } from '../support/server'
import { seed, waiting } from '../support/seed'
import { until } from '../support/until'

const d = endAfterAll(await deploy({
  NODE_ENV: 'development', HELD_MAX: '3', METRICS_TOKEN: 'a-metrics-token-of-some-length',
}))

const api = (path: string, init: RequestInit = {}) => fetch(`${d.server.url}/api/submissions${path}`, init)
const decide = (id: string, action: string, press?: string) => api(`/${id}/decision`, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ action, press }),
})
const erase = (id: string) => api(`/${id}`, { method: 'DELETE' })
const list = async (query = '') => {
  const { rows, total } = await (await api(query)).json() as { rows: { id: string, state: string }[], total: number }
  return { ids: rows.map(({ id }) => id), states: rows.map(({ state }) => state), total }
}

/** Sends a form that the honeypot catches, as happens when a browser's autofill fills the hidden field. */
async function hold(data: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await sendForm(d.server, { ...data, _gotcha: 'filled in by a browser' }, headers)
  expect(response.status).toBe(200)
  const { submissionId } = await response.json() as { submissionId: string }
  await d.server.drain()
  return submissionId
}

const posts = () => d.slack.calls('chat.postMessage').length
const clearHeld = async () => {
  for (const id of (await list('?state=held')).ids) await erase(id)
}

it('what is held for an hour is told of in its room, with the way there and nothing of the form', async () => {
  const old = waiting({ state: 'held', cards: [], receivedAt: Date.now() - 2 * 60 * 60 * 1000 })
  await seed(d.redis.url, [old])
  await d.server.kill()
  d.server = await startServer(d.env)
  await until('the line', () => posts() > 0)
  const line = JSON.stringify(d.slack.calls('chat.postMessage')[0])
  expect(line).toContain('1 form is held, because')
  expect(line).toContain('https://forms.example.com/?state=held')
  expect(line).not.toContain('Ada')
  await erase(old.id)
})

describe('a form whose honeypot is filled in', () => {
  it('is answered as any other, and held: no card, not pending, in a list of its own', async () => {
    const postedBefore = posts()
    const normal = await sendForm(d.server, { name: 'Grace' })
    const held = await sendForm(d.server, { name: 'Ada', _gotcha: 'x' })
    const shape = async (response: Response) => [
      response.status, [...response.headers.keys()].sort(),
      (await response.text()).replaceAll(/[0-9a-f]{4,}/g, match => '0'.repeat(match.length)),
    ]
    const before = await list()
    const { submissionId: id } = await held.clone().json() as { submissionId: string }
    expect(await shape(held)).toEqual(await shape(normal))
    await d.server.drain()
    expect(before.ids).not.toContain(id)
    expect(posts() - postedBefore).toBe(1)
    expect(await list('?state=held')).toEqual({ ids: [id], states: ['held'], total: 1 })
    expect(await (await api(`/${id}`)).json()).toMatchObject({
      state: 'held', open: false, fields: [{ label: 'name', value: 'Ada' }], notes: [expect.stringContaining('Held')],
      history: [{ event: 'received' }, { event: 'held' }],
    })
    const metrics = await (await fetch(
      `${d.server.url}/api/metrics`, { headers: { authorization: 'Bearer a-metrics-token-of-some-length' } },
    )).text()
    expect(metrics).toContain('triage_submissions_total{outcome="held"} 1')
    expect(metrics).toContain('triage_pending_submissions 1')
    await erase(id)
  })

  it('cannot be decided: not by a click that names it, and on the ops page only after its release', async () => {
    const { card } = await submit(d, { name: 'Grace' })
    const id = await hold({ name: 'Ada' })
    for (const action of ['forward', 'spam']) {
      await click(d, card, action, id)
      const refused = await decide(id, action)
      const said = expect.stringContaining('release it first') as string
      expect([refused.status, await refused.json()]).toEqual([409, { code: 'WRONG_STATE', error: said, message: said }])
    }
    expect((await list('?state=held')).ids).toEqual([id])
    expect(d.endpoint.requests).toEqual([])
    await erase(id)
  })

  it('released is posted once, and then as any other; its data is what the website sent beside the honeypot', async () => {
    const id = await hold({ name: 'Ada', amount: 5 })
    const before = posts()
    const answers = await Promise.all(['a', 'b', 'c'].map(press => decide(id, 'release', press)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    // Simulate lost answers: send the releases again.
    const again = await Promise.all(['a', 'b', 'c'].map(press => decide(id, 'release', press)))
    expect(again.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
    await d.server.drain()
    expect(posts() - before).toBe(1)
    expect((await list('?state=held')).total).toBe(0)
    expect((await list()).ids).toContain(id)
    expect((await (await api(`/${id}`)).json()).history.map(({ text }: { text: string }) => text)).toEqual([
      'Received', expect.stringContaining('Held'), 'Released by Local on Ops page', 'Card posted on Slack',
    ])
    await click(d, await cardOf(d, id), 'forward', id)
    expect(JSON.parse(d.endpoint.requests.at(-1)!.body)).toEqual({ name: 'Ada', amount: 5 })
    const audit = await (
      await fetch(`${d.server.url}/api/exports/audit.json`)
    ).json() as { id: string, outcome: string }[]
    expect(audit.filter(line => line.id === id).map(({ outcome }) => outcome).sort()).toEqual(['forwarded', 'released'])
  })

  it('erased is gone; what is not held is not released', async () => {
    const id = await hold({ name: 'Ada' })
    expect((await erase(id)).status).toBe(200)
    expect((await erase(id)).status).toBe(410)
    expect(await (await api(`/${id}`)).json()).toMatchObject({
      code: 'SUBMISSION_ENDED', error: expect.stringMatching(/^Erased by Local on Ops page/),
    })
    const { id: open } = await submit(d, { name: 'Grace' })
    const refused = await decide(open, 'release')
    expect([refused.status, (await refused.json()).error]).toEqual([409, expect.stringContaining('not held')])
    expect((await (await api(`/${open}`)).json()).open).toBe(true)
    expect((await erase('never-was')).status).toBe(404)
    expect((await api(`/${open}`, { method: 'DELETE', headers: { origin: 'https://evil.example' } })).status).toBe(403)
  })

  it('sent again with its idempotency key is the same; beyond HELD_MAX the oldest go', async () => {
    await clearHeld()
    const key = { 'idempotency-key': 'one-and-the-same' }
    const first = await hold({ name: 'first' }, key)
    expect(await hold({ name: 'first' }, key)).toBe(first)
    const others = [await hold({ name: '2' }), await hold({ name: '3' }), await hold({ name: '4' })]
    expect((await list('?state=held')).ids).toEqual(others.toReversed())
    expect((await api(`/${first}`)).status).toBe(404)
    await clearHeld()
  })
})
