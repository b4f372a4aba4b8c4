import type { Locator } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { fits, screenshot } from '../support/browser'
import { click, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, openAnother, page, problems, usePages } from '../support/pages'
import { seed, series, waiting } from '../support/seed'
import { startServer } from '../support/server'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

const d = endAfterAll(await deployPages())
/** Proxy to Redis, which can add latency */
const tcp = endAfterAll(await startTcpProxy())
tcp.use(d.redis.port)
afterEach(() => { d.resend.fault = () => undefined })
usePages()

const row = (text: string): Locator => page.getByTestId('row').filter({ hasText: text })
/** Pressed by key: arriving submissions may move the button away from the mouse. */
const turn = (to: 'older' | 'newer') => page.locator(`[data-testid=${to}]:enabled`).press('Enter')
const LISTS = /\/api\/submissions(\/search|\?)/
const live = () => page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()

test('an empty list says so, and how to send a form', async () => {
  await page.goto(d.server.url)
  await page.getByTestId('empty').waitFor()
  expect(await page.getByTestId('code').textContent()).toContain('curl https://forms.example.com/api/form')
  expect(await page.getByTestId('open-sandbox').count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await screenshot(page, 'list-empty')
})

test('a delivery that is stuck shows its reason and next attempt, and leaves once it is delivered', async () => {
  await page.goto(d.server.url)
  d.resend.fault = ({ path }) => path === '/emails' ? { status: 500 } : undefined
  const { id, card } = await submit(d, { name: 'Stuck Sally' })
  await click(d, card, 'forward', id)
  await row('Stuck Sally').getByTestId('problem').waitFor()
  expect(await row('Stuck Sally').getByTestId('state').textContent()).toBe('Retrying')
  expect(await row('Stuck Sally').getByTestId('problem').textContent()).toMatch(
    /Email: .*Resend.* Next attempt (in \d+ \w+|now)\./,
  )
  await page.getByTestId('filter-waiting').click()
  await row('Stuck Sally').waitFor({ state: 'detached' })
  await page.getByTestId('filter-retrying').click()
  await row('Stuck Sally').waitFor()
  d.resend.fault = () => undefined
  await row('Stuck Sally').waitFor({ state: 'detached' })
  expect((await d.resend.emails()).some(({ html }) => html.includes('Stuck Sally'))).toBe(true)
})

test('the page says that it lost the server, and catches up when it is back', async () => {
  await page.goto(d.server.url)
  await live()
  const { url } = d.server
  await d.server.stop()
  await page.getByTestId('liveness').filter({ hasText: 'Not live' }).waitFor()
  await seed(d.redis.url, [waiting({ id: 'while-away', data: { name: 'While Away' } })])
  d.server = Object.assign(await startServer({ ...d.env, PORT: new URL(url).port }), { url })
  await row('While Away').waitFor()
  await live()
  await page.close()
  problems.splice(0)
})

test('filters say how many they list, what was searched for is marked, and a view is kept by its name', async () => {
  await seed(d.redis.url, [waiting({ id: 'marked', data: { name: 'Mary <b>Somerville</b>' } })])
  await page.goto(d.server.url)
  const all = page.getByTestId('filter-all').getByTestId('count')
  await until('the count of what is listed', async () => (
    await all.textContent() === String(await page.getByTestId('row').count())
  ))
  expect(await page.getByTestId('filter-failed').getByTestId('count').textContent()).toBe('0')
  await page.getByTestId('search').fill('name:"mary <b>"')
  await row('Somerville').locator('mark').waitFor()
  expect(await row('Somerville').locator('mark').textContent()).toBe('Mary <b>')
  await page.getByTestId('filter-all').getByTestId('count').getByText('1', { exact: true }).waitFor()

  await page.getByTestId('search-help').click()
  await page.getByTestId('search-help-panel').getByText('after:2026-11-20').waitFor()
  await page.keyboard.press('Escape')
  await page.getByTestId('options').click()
  await page.getByTestId('filter-oldest').click()
  await page.getByLabel('Name of this view').fill('Marys')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByTestId('view').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await screenshot(page, 'list-options')
  await page.keyboard.press('Escape')
  await page.getByTestId('options').getByText('Oldest first').waitFor()
  await page.goto(`${d.server.url}/?state=failed`)
  await page.getByTestId('no-match').getByText('Nothing failed').waitFor()
  await page.getByTestId('options').click()
  await page.getByRole('button', { name: 'Marys', exact: true }).click()
  await row('Somerville').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('name:"mary <b>"')
  expect(await page.getByTestId('search').inputValue()).toBe('name:"mary <b>"')
  await page.getByTestId('options').click()
  await page.getByRole('button', { name: 'Delete the view Marys' }).click()
  await page.getByTestId('view').waitFor({ state: 'detached' })
})

test('10,000 submissions are paged through, found by text, and kept current', async () => {
  const all = series(10_000)
  await seed(d.redis.url, all)
  await page.goto(d.server.url)
  await row('Person 10000').waitFor()
  // Rows out of sight are rendered after those in sight.
  await page.getByTestId('row').nth(49).waitFor()
  expect(await page.getByTestId('row').count()).toBe(50)
  expect(await page.getByTestId('total').textContent()).toMatch(/10,00\d pending/)

  const seen = new Set<string>()
  for (let number = 1; number <= 4; number++) {
    await page.getByTestId('page-number').filter({ hasText: `Page ${number} of` }).waitFor()
    await until(`rows of page ${number}`, async () => !seen.has(
      await page.getByTestId('row').first().getAttribute('data-id') ?? '',
    ))
    for (const one of await page.getByTestId('row').all()) seen.add(await one.getAttribute('data-id') ?? '')
    if (number < 4) await turn('older')
  }
  expect(all.slice(-198).every(({ id }) => seen.has(id))).toBe(true)
  expect(seen.size).toBe(200)

  await seed(d.redis.url, [waiting({ id: 'fresh', data: { name: 'Fresh Fred' } })])
  await page.getByRole('button', { name: '1 new submission on the first page' }).waitFor()
  // No events arrive while there is no connection, so the page must load again.
  const { url } = d.server
  await d.server.stop()
  await seed(d.redis.url, [waiting({ id: 'missed', data: { name: 'Missed Mary' } })])
  d.server = Object.assign(await startServer({ ...d.env, STORE_URL: tcp.url, PORT: new URL(url).port }), { url })
  await page.getByRole('button', { name: '2 new submissions on the first page' }).click()
  for (const name of ['Fresh Fred', 'Missed Mary']) await row(name).waitFor()
  problems.splice(0)

  await page.getByTestId('search').fill('message NUMBER 9321')
  await row('Person 9321').waitFor()
  await until('no other row', async () => await page.getByTestId('row').count() === 1)
  await page.getByTestId('search').fill('number 77')
  await row('Person 9977').waitFor()
  const matches = all.filter(({ data }) => String(data!.name).includes('77')).length
  await page.getByTestId('total').filter({ hasText: new RegExp(`^${matches} of 10,00\\d pending`) }).waitFor()
  expect(await page.getByTestId('row').count()).toBe(50)
  await page.getByTestId('search').fill('Person 7777 nowhere')
  await page.getByTestId('no-match').getByText('No pending submission matches').waitFor()
  await page.getByTestId('total').filter({ hasText: /^0 of 10,00\d pending/ }).waitFor()
  // With a slow store, the total is not counted past 1,000 matches; a quick machine reads all at once.
  tcp.answerDelayMs = 20
  await page.getByTestId('search').fill('message number')
  await page.getByTestId('total').filter({ hasText: /^\s*more than 1,000 of 10,00\d pending\s*$/ }).waitFor()
  // Remove the proxy for the other tests: the store answers late while this process is busy.
  await openAnother()
  await d.server.stop()
  d.server = Object.assign(await startServer({ ...d.env, PORT: new URL(url).port }), { url })
})

test('filter, search, order and page stand in the address, and "All submissions" leads back there', async () => {
  const ids = async () => Promise.all((await page.getByTestId('row').all()).map(each => each.getAttribute('data-id')))
  const shown = (number: number) => page.getByTestId('page-number').filter({ hasText: `Page ${number}` }).waitFor()
  await page.goto(`${d.server.url}/?state=waiting&q=999&sort=oldest`)
  await row('Person 999').first().waitFor()
  expect((await ids())[0]).toBe('series-999')
  expect(await page.getByTestId('search').inputValue()).toBe('999')
  expect(await page.getByTestId('filter-waiting').getAttribute('aria-pressed')).toBe('true')
  await page.getByTestId('total').filter({ hasText: /^19 of/ }).waitFor()
  await page.getByTestId('row').nth(18).waitFor()
  const all = await ids()
  await row('Person 999').first().getByRole('link').first().click()
  await page.getByRole('link', { name: 'All submissions' }).click()
  await until('the same list', async () => (await ids()).join() === all.join())
  expect(new URL(page.url()).search).toBe('?state=waiting&q=999&sort=oldest')

  await page.getByTestId('search').fill('')
  await until('everything that waits', async () => await page.getByTestId('row').count() === 50)
  for (const number of [2, 3]) {
    await turn('older')
    await shown(number)
    await page.locator('section[aria-busy=false]').waitFor()
  }
  const third = await ids()
  const link = page.url()
  await page.reload()
  await until('the same page', async () => (await ids()).join() === third.join())
  await turn('newer')
  await shown(2)
  await page.locator('section[aria-busy=false]').waitFor()
  await page.goBack()
  await until('the page again', async () => (await ids()).join() === third.join())
  await openAnother()
  await page.goto(link)
  await until('the page of the link', async () => (await ids()).join() === third.join())
  await shown(3)
  await turn('newer')
  await shown(1)
  expect(new URL(page.url()).search).toBe('?state=waiting&sort=oldest')
})

test('a list is busy until the page that was turned to is there, whatever arrives before it', async () => {
  await page.goto(d.server.url)
  await live()
  const asked: (() => void)[] = []
  await page.route(LISTS, route => new Promise<void>((resolve) => { asked.push(() => resolve(route.continue())) }))
  await seed(d.redis.url, [waiting({ data: { name: 'Meanwhile' } })])
  await until('the change to be asked for', () => asked.length === 1)
  await turn('older')
  await page.locator('section[aria-busy=true]').waitFor()
  asked[0]!()
  await until('the page to be asked for', () => asked.length === 2)
  expect(await page.locator('section[aria-busy=true]').count()).toBe(1)
  expect(await page.getByTestId('older').isDisabled()).toBe(true)
  asked[1]!()
  await page.locator('section[aria-busy=false]').waitFor()
  await page.getByTestId('page-number').filter({ hasText: 'Page 2 of' }).waitFor()

  // A page that fails to load is requested again; the page after it is not known until then.
  await page.unroute(LISTS)
  await page.route(LISTS, route => route.fulfill({ status: 503, json: { error: 'The store does not answer.' } }))
  await turn('older')
  await page.getByTestId('stale').waitFor()
  expect(await page.getByTestId('older').isDisabled()).toBe(true)
  await page.unroute(LISTS)
  await page.getByTestId('stale').waitFor({ state: 'detached' })
  await turn('older')
  await page.getByTestId('page-number').filter({ hasText: 'Page 4 of' }).waitFor()
  problems.splice(0)
})

test('the list fits a phone, and axe finds nothing serious in light or dark', async () => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(d.server.url)
  await page.getByTestId('row').first().waitFor()
  await fits(page)
  expect(await seriousFindings(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html.dark').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})
