import { afterEach, describe, expect, it } from 'vitest'
import { cardNow, deploy, submit, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { timed } from '../support/stopwatch'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))
afterEach(() => { d.resend.fault = () => undefined })

const get = (path: string, headers: Record<string, string> = {}) => fetch(
  `${d.server.url}/api/submissions${path}`, { headers },
)
const post = (path: string, body: unknown, headers: object = {}) => (
  postJson(`${d.server.url}/api/submissions${path}`, body, headers)
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
    const said = expect.stringMatching(/^Forwarded by Local on Ops page, .* UTC\.$/) as string
    expect(await late.json()).toEqual({
      code: 'ALREADY_DECIDED', error: said, message: said,
      line: ['Forwarded by Local on Ops page, ', { at: expect.any(Number), shows: 'date' }, '.'],
    })
    const gone = await get(`/${id}`)
    expect(gone.status).toBe(410)
    expect(await gone.json()).toMatchObject({
      code: 'SUBMISSION_ENDED', error: expect.stringContaining('Forwarded by Local'),
    })
    expect((await d.resend.emails()).length).toBe(1)
  })

  it('refuses an edit that does not fit with an error by field, and decides nothing', async () => {
    const { id } = await submit(d, { name: 'Ada', tags: [1, 2] })
    const refused = await post(`/${id}/decision`, { action: 'edit', values: { f0: 'Grace', f1: 'not json' } })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: 'INVALID_VALUES', errors: { f1: expect.stringContaining('JSON list') },
    })
    expect((await (await get(`/${id}`)).json()).open).toBe(true)
    expect((await post(`/${id}/decision`, { action: 'edit', values: { f0: 'Grace' } })).status).toBe(200)
    await d.server.drain()
    expect(JSON.parse(d.endpoint.requests.at(-1)!.body)).toEqual({ name: 'Grace', tags: [1, 2] })
  })
})

describe('POST /api/submissions/decisions', () => {
  const decide = async (ids: readonly string[], action = 'spam') => {
    const answer = await post('/decisions', { ids, action })
    return [answer.status, (await answer.json()).results] as const
  }

  it('decides each by itself: one result for each id, as that one alone would have been answered', async () => {
    const all = await Promise.all(['Ada', 'Grace', 'Lin'].map(name => submit(d, { name })))
    const [ada, grace, lin] = all.map(({ id }) => id) as [string, string, string]
    expect((await post(`/${grace}/decision`, { action: 'forward' })).status).toBe(200)
    await d.server.drain()
    const already = {
      id: grace, status: 409, code: 'ALREADY_DECIDED', error: expect.stringMatching(/^Forwarded by/),
      message: expect.stringMatching(/^Forwarded by/),
    }
    const never = {
      id: 'never', status: 404, code: 'SUBMISSION_GONE', error: expect.any(String), message: expect.any(String),
    }
    const line = expect.arrayContaining(['Forwarded by Local on Ops page, '])
    const done = (id: string) => ({ id, status: 200 })
    expect(await decide([ada, grace, 'never', lin, ada])).toEqual([200, [
      done(ada), { ...already, line }, never, done(lin), done(ada),
    ]])
    await d.server.drain()
    for (const { card } of [all[0]!, all[2]!]) {
      expect(JSON.stringify((await cardNow(d, card)).blocks)).toContain('Marked as spam by Local on Ops page')
    }
    const lines = await (await fetch(`${d.server.url}/api/exports/audit.json`)).json()
    const outcomes = (id: string) => lines.filter((line: { id: string }) => line.id === id).map(
      ({ outcome, reviewer }: { outcome: string, reviewer: { name: string } }) => [outcome, reviewer.name],
    )
    expect([ada, grace, lin].flatMap(outcomes)).toEqual([['spam', 'Local'], ['forwarded', 'Local'], ['spam', 'Local']])
    expect(await decide([ada], 'release')).toMatchObject([200, [{ id: ada, status: 410, code: 'SUBMISSION_ENDED' }]])
  })
})

describe('GET /api/submissions', () => {
  it('is a page of what is pending that nobody keeps, and refuses a query that is none', async () => {
    const { id } = await submit(d, { name: 'Person 77' })
    const page = await get('?q=Person%2077&limit=1&platform=slack')
    expect([page.headers.get('cache-control'), page.headers.get('cross-origin-resource-policy')]).toEqual(
      ['no-store', 'same-origin'],
    )
    expect(await page.json()).toMatchObject({ rows: [{ id, state: 'waiting', cards: [{ platform: 'Slack' }] }] })
    const counts = await post('/counts', { q: 'Person' })
    expect(await counts.json()).toMatchObject({ states: { all: 1, waiting: 1, failed: 0 } })
    const refused = await get('?limit=0')
    expect([refused.status, (await refused.json()).error]).toEqual([400, 'limit: must be at least 1.'])
  })
})

describe('GET /api/submissions/events', () => {
  it('tells of a change within 2 s, by id and nothing else, and ends with the server', async () => {
    const response = await get('/events')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const heard = listen(response)
    // The stream starts with one or two "anything may have changed" events, which can replace an event with ids.
    await until('the watch to stand', async () => {
      await submitForm(d.server, { name: 'earlier' })
      return idsIn(heard.text).length > 0
    })
    await d.server.drain()
    const { id } = await submit(d, { name: 'secret name' })
    const { ms } = await timed(d.server, () => until('the change', () => idsIn(heard.text).includes(id)))
    expect(ms).toBeLessThan(2000)
    expect(idsIn(heard.text).every(each => /^[0-9a-f-]{36}$/.test(each))).toBe(true)
    expect(heard.text).not.toContain('secret name')
    const stopped = d.server.stop()
    await until('the end', () => heard.ended)
    expect(await stopped).toBe(0)
  })
})

/** Returns the ids that a stream has sent; its last line may be incomplete. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/^data: (\[.*\])\n/gm)].flatMap(([, ids]) => JSON.parse(ids!) as string[])
}

/** Collects the text of a stream so far. */
function listen(response: Response): { text: string, ended: boolean } {
  const heard = { text: '', ended: false }
  void (async () => {
    for await (const chunk of response.body!) heard.text += new TextDecoder().decode(chunk as Uint8Array)
  })().catch(() => {}).finally(() => { heard.ended = true })
  return heard
}
