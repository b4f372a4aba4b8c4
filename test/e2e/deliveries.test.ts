import { afterEach, expect, test } from 'vitest'
import { click, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { become, seed, waiting } from '../support/seed'
import { until } from '../support/until'

const d = endAfterAll(await deployPages())
afterEach(() => { d.endpoint.fault = () => undefined })
usePages({ expected: /status of 503|Failed to load/ })

const HOSTILE = '<img src=x onerror=alert(1)> {"error":"\u202Eno"} '.repeat(5)
const HOST = new URL(d.endpoint.url).host
const lines = () => page.getByTestId('delivery')
const get = async (path: string) => (await fetch(d.server.url + path)).json()
const post = (body: unknown, headers = {}) => fetch(`${d.server.url}/api/deliveries/send-again`, {
  method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body),
})

/** Stores a submission whose POST failed, or waits for another attempt. */
async function store(id: string, state: 'failed' | 'waiting', agoMs = 60_000): Promise<void> {
  const at = Date.now() - agoMs
  await seed(d.redis.url, [waiting({ id, cards: [] })])
  const reason = 'The endpoint answered 500.'
  const again = Date.now() + 3_600_000
  const decision = { action: 'forward' as const, at, reviewer: { id: 'U1', name: 'Ada', platform: 'Slack' } }
  await become(d.redis.url, id, {
    history: [
      { at, event: 'received' }, { event: 'claimed', edited: false, ...decision },
      {
        at, event: 'failed', kind: 'endpoint', reason, status: 500, answer: HOSTILE, ms: 1240, count: 3,
        since: at - 600_000, again: state === 'failed' ? null : again,
      },
    ],
    ...state === 'failed'
      ? { failures: [{ delivery: 'endpoint', reason }], delivered: ['email'] }
      : {
          state: 'settling', decision, delivered: ['email'],
          work: [{ key: 'endpoint#2', kind: 'endpoint', attempts: 3, reason, dueAt: again }],
        },
  })
}

test('whoever is on duty finds what failed, and sends a selection and the rest again', async () => {
  await page.goto(`${d.server.url}/deliveries`)
  await page.getByTestId('empty').getByText('Nothing failed or waits in the last 7 days.').waitFor()
  await pictures(page, 'deliveries-empty')
  for (const [position, state] of (['failed', 'waiting', 'failed', 'waiting'] as const).entries()) {
    await store(`form-${position}`, state, (position + 1) * 60_000)
  }
  await page.getByRole('button', { name: 'Refresh' }).click()
  await lines().nth(3).waitFor()
  expect(await lines().evaluateAll(all => all.map(each => each.getAttribute('data-id')))).toEqual(
    ['form-0', 'form-1', 'form-2', 'form-3'],
  )
  expect(await lines().first().textContent()).toMatch(RegExp(`Endpoint, ${HOST}.*Failed.*3 attempts.*answered 500`))
  await lines().first().getByText('Answer', { exact: true }).click()
  await lines().first().getByText('<img src=x onerror=alert(1)>').waitFor()
  await pictures(page, 'deliveries')

  await page.getByTestId('filter-failed').click()
  await expect.poll(() => lines().count()).toBe(2)
  expect(new URL(page.url()).search).toBe('?state=failed')
  await page.getByTestId('filter-failed').click()
  await lines().nth(3).waitFor()
  await page.getByTestId('destination').selectOption('email')
  await page.getByTestId('empty').getByText('Nothing that failed or waits matches.').waitFor()
  await page.getByTestId('destination').selectOption('endpoint')
  await lines().nth(3).waitFor()

  // By keyboard alone
  await lines().first().getByTestId('select').focus()
  await page.keyboard.press('Space')
  await page.getByTestId('send-chosen').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Send 1 delivery again?' }).waitFor()
  await pictures(page, 'deliveries-asked')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '1 submission sent again' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => lines().count()).toBe(3)

  await page.getByTestId('send-all').click()
  await page.getByTestId('confirm').click()
  await page.getByRole('heading', { name: '3 submissions sent again' }).waitFor()
  await page.getByTestId('confirm').click()
  await page.getByTestId('empty').waitFor()
  const keys = d.endpoint.requests.map(({ headers }) => headers['idempotency-key'] as string)
  expect([0, 1, 2, 3].map(number => keys.filter(key => key.startsWith(`form-${number}-`)).length)).toEqual([1, 1, 1, 1])
})

test('every attempt is on the page of its submission', async () => {
  await store('one-to-look-at', 'waiting')
  await page.goto(`${d.server.url}/submissions/one-to-look-at`)
  const failed = page.getByTestId('history').getByRole('listitem').filter({ hasText: 'Endpoint failed' })
  expect(await failed.textContent()).toMatch(/took 1.2 s.*status 500.*3 times since.*next attempt/)
  await failed.getByText('Answer', { exact: true }).click()
  await failed.getByText('<img src=x onerror=alert(1)>').waitFor()
  await pictures(page, 'submission-attempts')
  await page.goto(`${d.server.url}/status`)
  await page.getByTestId('queue-endpoint').getByRole('link', { name: '1 waiting' }).click()
  await lines().filter({ hasText: 'one-to-look-at' }).waitFor()
  expect((await post({ ids: ['one-to-look-at'] })).status).toBe(200)
  await until('it to be sent', async () => (await get('/api/deliveries')).total === 0)
})

test('while the store is away the page says so, and shows the list once it is back', async () => {
  await page.route('**/api/deliveries', route => route.fulfill({ status: 503, json: { error: 'No store.' } }))
  await page.goto(`${d.server.url}/deliveries`)
  await page.getByTestId('stale').getByText('The list cannot be loaded').waitFor()
  await page.unroute('**/api/deliveries')
  await page.getByTestId('empty').waitFor()
})

test('the API filters, sends again and exports, and refuses what is no request', async () => {
  await store('api-1', 'failed', 3_600_000)
  await store('api-2', 'waiting')
  const half = new Date(Date.now() - 1_800_000).toISOString()
  const found = async (query: string) => (
    (await get(`/api/deliveries?${query}`)).lines.map(({ id }: { id: string }) => id)
  )
  expect(await Promise.all([
    '', `destination=${HOST}`, 'destination=email', `to=${half}`, `from=${half}`, 'state=failed',
  ].map(found))).toEqual([['api-2', 'api-1'], ['api-2', 'api-1'], [], ['api-1'], ['api-2'], ['api-1']])
  for (const query of ['state=x', 'from=x', 'limit=1000', 'before=x']) {
    expect((await fetch(`${d.server.url}/api/deliveries?${query}`)).status).toBe(400)
  }
  const csv = await (await fetch(`${d.server.url}/api/exports/deliveries.csv`)).text()
  expect(csv).toMatch(/^\uFEFF?"id","destination","state","at","attempts","status","answer"\r?\n"api-2","endpoint","waiting"/)
  expect(await get('/api/exports/deliveries.json')).toEqual([
    expect.objectContaining({ id: 'api-2', destination: 'endpoint', state: 'waiting', attempts: 3, status: 500 }),
    expect.objectContaining({ id: 'api-1', state: 'failed', answer: HOSTILE }),
  ])
  for (const body of [{}, { ids: 'x' }, { ids: Array.from({ length: 1001 }, () => 'x') }, { state: 'failed' }]) {
    expect((await post(body)).status).toBe(400)
  }
  expect((await post({ ids: ['api-1'] }, { origin: 'https://evil.example' })).status).toBe(403)
  expect(await (await post({ destination: HOST, to: half })).json()).toEqual({ sent: ['api-1'], refused: [], left: 0 })
  expect(await (await post({ ids: ['api-2', 'none'] })).json()).toEqual({
    sent: ['api-2'], refused: [{ id: 'none', reason: 'No delivery of it failed or waits.' }], left: 0,
  })
  await until('both to be sent', async () => (await get('/api/deliveries')).total === 0)
})

test('an endpoint that sends everything back leaves no value of the form in the history', async () => {
  const form = { name: 'Zoë Quintanilla', email: 'zoe@private.example', message: 'A "long" message <b>\nof two lines' }
  d.endpoint.fault = ({ body }) => ({ status: 500, body })
  const { id, card } = await submit(d, form)
  await click(d, card, 'forward', id)
  const seen = async () => (await get('/api/deliveries')).lines.some((line: { id: string }) => line.id === id)
  await until('an attempt', seen)
  const texts = JSON.stringify([
    await get('/api/deliveries'), await get('/api/exports/deliveries.json'),
    (await get(`/api/submissions/${id}`)).history,
    await get('/api/status'),
  ])
  for (const value of ['Quintanilla', 'zoe@private.example', 'of two lines']) expect(texts).not.toContain(value)
  expect(d.server.output()).not.toContain('Quintanilla')
})
