import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cardNow, deploy, submit, type Deployment } from '../support/deployment'
import { seed, series } from '../support/seed'
import { until } from '../support/until'

let d: Deployment
beforeAll(async () => { d = await deploy({ NODE_ENV: 'development' }) })
afterAll(() => d.close())
afterEach(() => { d.resend.fault = () => undefined })

const get = (path: string, headers: Record<string, string> = {}) => fetch(
  `${d.server.url}/api/submissions${path}`, { headers },
)
const post = (path: string, body: unknown, headers: Record<string, string> = {}) => fetch(
  `${d.server.url}/api/submissions${path}`,
  { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
)

describe('POST /api/submissions/<id>/decision', () => {
  it('forwards in the name of who decided, and a second decision is told who that was', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(`/${id}/decision`, { action: 'forward' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    await d.server.drain()
    expect(JSON.stringify((await cardNow(d, card)).blocks)).toContain('Forwarded by Local on Ops page')
    const late = await post(`/${id}/decision`, { action: 'spam' })
    expect(late.status).toBe(409)
    expect(await late.json()).toEqual({
      code: 'ALREADY_DECIDED', error: expect.stringMatching(/^Forwarded by Local on Ops page, .* UTC\.$/),
    })
    const gone = await get(`/${id}`)
    expect(gone.status).toBe(410)
    expect(await gone.json()).toMatchObject({
      code: 'SUBMISSION_ENDED', error: expect.stringContaining('Forwarded by Local'),
    })
    expect((await d.resend.emails()).length).toBe(1)
  })

  it('refuses an edit that does not fit with an error by field, and decides nothing', async () => {
    const { id } = await submit(d, { name: 'Ada', tags: ['a'] })
    const refused = await post(`/${id}/decision`, { action: 'edit', values: { f0: 'Grace', f1: 'not json' } })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: 'INVALID_VALUES', errors: { f1: expect.stringContaining('JSON list') },
    })
    expect((await (await get(`/${id}`)).json()).open).toBe(true)
    expect((await post(`/${id}/decision`, { action: 'edit', values: { f0: 'Grace' } })).status).toBe(200)
    await d.server.drain()
    expect(JSON.parse(d.endpoint.requests.at(-1)!.body)).toEqual({ name: 'Grace', tags: ['a'] })
  })

  it('refuses what is no decision, and what never was', async () => {
    expect((await post('/never/decision', { action: 'forward' })).status).toBe(404)
    const refused = await post('/never/decision', { action: 'delete' })
    expect([refused.status, (await refused.json()).error]).toEqual([400, expect.stringContaining('{"action":"spam"}')])
  })

  it('is closed to other websites', async () => {
    const { id } = await submit(d, { name: 'Ada' })
    expect((await post(`/${id}/decision`, { action: 'spam' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await (await get(`/${id}`)).json()).open).toBe(true)
  })
})

describe('GET /api/submissions/events', () => {
  it('tells of a change within 2 s, by id and nothing else, and ends with the server', async () => {
    const response = await get('/events')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const heard = listen(response)
    await until('the watch to stand', () => heard.text.includes('event: ready') && heard.text.includes('data: null'))
    const { id } = await submit(d, { name: 'secret name' })
    await until('the change', () => heard.text.includes(`["${id}"]`), 2000)
    expect(heard.text).not.toContain('secret name')
    const stopped = d.server.stop()
    await until('the end', () => heard.ended)
    expect(await stopped).toBe(0)
  })
})

describe('GET /api/submissions', () => {
  it('pages through what is pending, newest first, and filters it', async () => {
    const other = await deploy({ NODE_ENV: 'development' })
    try {
      const all = series(120)
      await seed(other.redis.url, all)
      const list = async (query: string) => await (await fetch(`${other.server.url}/api/submissions?${query}`)).json()
      const ids: string[] = []
      for (let before = ''; ;) {
        const page = await list(`limit=50${before && `&before=${before}`}`)
        ids.push(...page.rows.map((row: { id: string }) => row.id))
        expect(page.total).toBe(120)
        if (!page.cursor) break
        before = page.cursor
      }
      expect(ids).toEqual(all.toReversed().map(({ id }) => id))
      expect(await list('q=Person%2077')).toMatchObject({ rows: [{ id: all[76]!.id, state: 'waiting', cards: [
        { platform: 'Slack', url: expect.stringMatching(/^https:.*\/archives\/C000000001\/p1700000000000100$/) },
      ] }], cursor: null })
      expect(await list('state=retrying')).toMatchObject({ rows: [], scanned: 120 })
      expect(await list('state=failed')).toMatchObject({ rows: [], scanned: 0, total: 120 })
      const response = await fetch(`${other.server.url}/api/submissions?limit=0`)
      expect([response.status, (await response.json()).error]).toEqual([400, 'limit: it is less than 1.'])
      expect((await fetch(`${other.server.url}/api/submissions`)).headers.get('cache-control')).toBe('no-store')
      other.redis.pause()
      expect((await fetch(`${other.server.url}/api/submissions`)).status).toBe(503)
      other.redis.resume()
    }
    finally {
      await other.close()
    }
  })
})

/** What a stream has said so far. */
function listen(response: Response): { text: string, ended: boolean } {
  const heard = { text: '', ended: false }
  void (async () => {
    for await (const chunk of response.body!) heard.text += new TextDecoder().decode(chunk as Uint8Array)
  })().catch(() => {}).finally(() => { heard.ended = true })
  return heard
}
