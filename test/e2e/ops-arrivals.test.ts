import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { cardNow, click, deploy, introduce, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { seed, series, waiting } from '../support/seed'
import { until } from '../support/until'
import { postJson } from '../support/webhook'
import { wholeList } from '../support/whole-list'

const FORMS_CONFIG = resolve(import.meta.dirname, '../fixtures/config/forms.json')

const d = endAfterAll(await deploy({ NODE_ENV: 'development', TAKE: '1', SANDBOX: '1', FORMS_CONFIG }))
const browser = endAfterAll(await startBrowser())
// Warm up: on a busy machine a page's first requests would meet a cold server.
await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
await introduce(d)
const { page, problems } = await openPage(browser)

const row = (text: string) => page.getByTestId('row').filter({ hasText: text })
const live = () => page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()

test('only what comes in while somebody looks is new: not what a search, a filter or a change brings into the list', async () => {
  await seed(d.redis.url, series(60))
  const fresh = page.locator('.ops-row-fresh')
  const announced = () => page.locator('main [aria-live=polite]').textContent()
  await page.goto(d.server.url)
  await live()
  await row('Person 60').waitFor()
  await page.getByTestId('search').fill('Person 1')
  await row('Person 60').waitFor({ state: 'detached' })
  await row('Person 10').waitFor()
  expect([await fresh.count(), await announced()]).toEqual([0, ''])
  const { id, card } = await submit(d, { name: 'Person 1 again' })
  await fresh.filter({ hasText: 'Person 1 again' }).waitFor()
  expect([await fresh.count(), await announced()]).toEqual([1, '1 new submission.'])

  await page.getByTestId('search').fill('')
  await row('Person 60').waitFor()
  await page.getByTestId('older').press('Enter')
  // Submissions received before the page was read are not new on it.
  await row('Person 60').waitFor({ state: 'detached' })
  const later = await submit(d, { name: 'Latest' })
  await page.getByRole('button', { name: '1 new submission on the first page' }).waitFor()
  d.resend.fault = ({ path }) => path === '/emails'
    ? { status: 422, body: '{"statusCode":422,"name":"validation_error","message":"x"}' }
    : undefined
  await click(d, card, 'forward', id)
  await click(d, later.card, 'spam', later.id)
  await page.getByRole('button', { name: /new submission/ }).waitFor({ state: 'detached' })
  await page.getByTestId('filter-failed').click()
  await row('Person 1 again').waitFor()
  expect(await fresh.count()).toBe(0)
  expect(new URL(page.url()).search).toBe('?state=failed')
  expect(problems).toEqual([])
})

test('what is done stands in the order of its ends, says how it ended, and Back leads to the filter before', async () => {
  const { id } = (await wholeList(d.server.url, 'q=Person%2059')).rows[0]!
  const rowOf = (ending: string) => page.getByTestId('row').filter({ hasText: ending })
  await page.goto(`${d.server.url}/?state=failed`)
  await row('Person 1 again').waitFor()
  await page.getByTestId('filter-done').click()
  await rowOf('Marked as spam by Ada Lovelace on Slack').waitFor()
  expect(await page.getByTestId('total').textContent()).toMatch(/^\s*1 done\s*$/)
  expect(await rowOf('Marked as spam').textContent()).not.toContain('No card yet')
  await live()
  // Received long before the other one
  await postJson(`${d.server.url}/api/submissions/${id}/decision`, '{"action":"spam"}')
  await rowOf('Marked as spam by Local').waitFor()
  await rowOf('Marked as spam by Ada Lovelace on Slack').waitFor()
  expect(await page.getByTestId('row').first().getAttribute('data-id')).toBe(id)
  await screenshot(page, 'list-done')
  await page.getByTestId('search').fill('nothing like it')
  await page.getByText('No finished submission matches').waitFor()
  await page.getByTestId('search').fill('')
  await rowOf('Marked as spam by Local').waitFor()

  await page.goBack()
  await row('Person 1 again').waitFor()
  expect(await page.getByTestId('filter-failed').getAttribute('aria-pressed')).toBe('true')
  expect(problems).toEqual([])
})

test('all that match are decided together in small requests, as far as nobody stops it', async () => {
  const bulk = Array.from({ length: 210 }, (_, index) => waiting({ cards: [], data: { name: `Bulk ${index}` } }))
  await seed(d.redis.url, bulk)
  await page.goto(`${d.server.url}/?q=Bulk`)
  await row('Bulk').first().waitFor()
  await page.getByTestId('select-page').click()
  await page.getByTestId('selection').getByText('50 selected').waitFor()
  await page.getByTestId('select-all').click()
  await page.getByTestId('selection').getByText('210 selected').waitFor()

  // The third request waits until Stop is pressed; it is completed anyway.
  const asked: number[] = []
  const stopped = Promise.withResolvers<undefined>()
  await page.route('**/api/submissions/decisions', async (route) => {
    asked.push((route.request().postDataJSON() as { ids: string[] }).ids.length)
    if (asked.length === 3) await stopped.promise
    await route.continue()
  })
  await page.getByTestId('many-spam').click()
  await page.getByRole('dialog').getByText('Mark as spam: 210 submissions?').waitFor()
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').getByText('40 of 210').waitFor()
  await page.getByTestId('bulk-stop').click()
  stopped.resolve(undefined)
  await page.getByRole('dialog').getByText('60 of 210 marked as spam').waitFor()
  expect(await page.getByTestId('bulk-errors').textContent()).toContain('150 submissions are as before.')
  expect(asked).toEqual([20, 20, 20])

  await page.getByTestId('confirm').filter({ hasText: 'Try 150 again' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByTestId('no-match').waitFor()
  await page.unroute('**/api/submissions/decisions')
  expect(asked.reduce((sum, count) => sum + count)).toBe(210)
  expect(problems).toEqual([])
})

test('a form and a platform are chosen in the list', async () => {
  const there = [{ platform: 'sandbox', threadId: 'sandbox:triage:m1', messageId: 'm1' }]
  await seed(d.redis.url, [
    waiting({ form: 'jobs', data: { name: 'Vic' } }), waiting({ form: 'jobs', cards: there, data: { name: 'Una' } }),
    waiting({ cards: there, data: { name: 'Tim' } }),
  ])
  await page.goto(d.server.url)
  const names = async () => (await Promise.all(['Vic', 'Una', 'Tim'].map(name => row(name).count()))).join('')
  await page.getByTestId('options').click()
  await page.getByTestId('filter-jobs').getByTestId('count').getByText('2', { exact: true }).waitFor()
  await page.getByTestId('filter-jobs').click()
  await until('those of the form', async () => await names() === '110')
  await page.getByTestId('filter-sandbox').click()
  await until('those with a card there', async () => await names() === '010')
  expect(new URL(page.url()).search).toBe('?form=jobs&platform=sandbox')
  await page.reload()
  await until('the same list', async () => await names() === '010')
  await page.getByTestId('options').click()
  await page.getByTestId('filter-jobs').click()
  await until('all with a card there', async () => await names() === '011')
  expect(problems).toEqual([])
})

test('who takes one has it in the list, on its page and the status, behind filters, and hands it back', async () => {
  const { id, card } = await submit(d, { name: 'Mine' })
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByTestId('take').click()
  await page.getByTestId('notes').getByText(/^Local has it \(Ops page, /).waitFor()
  const other = await submit(d, { name: 'Of Ada' })
  await click(d, other.card, 'take', other.id)
  await page.reload()
  await page.getByTestId('hand-back').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await screenshot(page, 'submission-taken')

  await page.goto(d.server.url)
  await row('Of Ada').getByText(/^Ada Lovelace has it \(Slack, /).waitFor()
  await screenshot(page, 'list-taken')
  await page.getByTestId('filter-mine').click()
  await row('Of Ada').waitFor({ state: 'detached' })
  await row('Mine').getByTestId('holder').waitFor()
  expect(new URL(page.url()).search).toBe('?holder=mine')
  await page.getByTestId('filter-free').click()
  await row('Mine').waitFor({ state: 'detached' })
  await row('Person 60').waitFor()
  expect(await seriousFindings(page)).toEqual([])

  await page.goto(`${d.server.url}/submissions/${other.id}`)
  await page.getByTestId('decide-spam').click()
  await page.getByTestId('confirm').click()
  await page.getByTestId('refusal').getByText(/Ada Lovelace \(Slack\) has it since/).waitFor()
  await page.getByTestId('confirm').click()
  await page.getByTestId('submission-ended').waitFor()

  await page.goto(`${d.server.url}/status`)
  await page.getByTestId('holders').getByText('Local').waitFor()
  await page.getByRole('link', { name: 'All that is taken' }).click()
  await row('Mine').click()
  await page.getByTestId('hand-back').click()
  await page.getByTestId('take').waitFor()
  await d.server.drain()
  expect(JSON.stringify((await cardNow(d, card)).blocks)).not.toContain(' has it ')
  const unexpected = problems.splice(0).filter(text => !/status of (?:423|410)/.test(text))
  expect(unexpected).toEqual([])
})

test('what is known to be found stays counted when a row leaves its page and another one fills it', async () => {
  const counted = Array.from({ length: 160 }, (_, index) => waiting({ cards: [], data: { name: `Tally ${index}` } }))
  await seed(d.redis.url, counted)
  await page.goto(`${d.server.url}/?q=Tally`)
  await page.getByTestId('total').filter({ hasText: /^\s*160 of/ }).waitFor()
  await live()
  // Once this submission is counted, no pending update can make the page load again.
  await submit(d, { name: 'Tally, the last' })
  await page.getByTestId('total').filter({ hasText: /^\s*161 of/ }).waitFor()
  const counts: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/search') && request.postData()?.includes('"only"')) counts.push(request.postDataJSON())
  })
  const id = await page.getByTestId('row').first().getAttribute('data-id')
  expect((await postJson(`${d.server.url}/api/submissions/${id}/decision`, { action: 'spam' })).status).toBe(200)
  await page.getByTestId('total').filter({ hasText: /^\s*160 of/ }).waitFor()
  const others = page.locator(`[data-testid=row]:not([data-id="${id}"])`)
  await until('the page to be full', async () => await others.count() === 50)
  expect(counts).toEqual([])
  expect(problems).toEqual([])
})

test('what was found before the search for all that match failed is selected', async () => {
  const found = Array.from({ length: 150 }, (_, index) => waiting({ cards: [], data: { name: `Found ${index}` } }))
  await seed(d.redis.url, found)
  await page.goto(`${d.server.url}/?q=Found`)
  await page.getByTestId('total').filter({ hasText: /^\s*150 of/ }).waitFor()
  await row('Found').first().getByTestId('select').click()
  await page.route('**/api/submissions/search', route => 'before' in (route.request().postDataJSON() as object)
    ? route.fulfill({ status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' } })
    : route.continue())
  await page.getByTestId('select-all').click()
  await page.getByText('They were not all found').first().waitFor()
  await page.getByTestId('selection').getByText('100 selected').waitFor({ timeout: 5000 })
  expect(problems.splice(0)).toEqual([expect.stringContaining('503')])
})

test('who opens the list finds everything at its place: what comes late moves nothing', async () => {
  await page.addInitScript(`moved = 0; new PerformanceObserver(list => list.getEntries().forEach(
    ({ value }) => moved += value)).observe({ type: 'layout-shift', buffered: true })`)
  for (const [width, height] of [[1040, 800], [390, 844]] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(d.server.url)
    await page.getByTestId('filter-mine').getByTestId('count').waitFor()
    await page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
    expect(await page.evaluate<number>('moved'), `${width} px`).toBeLessThan(0.01)
  }
  expect(problems).toEqual([])
})
