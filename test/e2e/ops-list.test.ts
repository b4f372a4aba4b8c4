import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { click, deploy, submit, type Deployment } from '../support/deployment'
import { seed, series, waiting } from '../support/seed'
import { startServer } from '../support/server'
import { until } from '../support/until'

let d: Deployment
let browser: Browser
let page: Page
let problems: string[]

beforeAll(async () => {
  [d, browser] = await Promise.all([deploy({ NODE_ENV: 'development' }), startBrowser()])
  // A page's first requests would find a cold server on a busy machine.
  await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
})
afterAll(() => Promise.all([browser.close(), d.close()]))
beforeEach(async () => {
  ({ page, problems } = await openPage(browser))
})
afterEach(async () => {
  d.resend.fault = () => undefined
  expect(problems).toEqual([])
  await page.close()
})

const row = (text: string): Locator => page.getByTestId('row').filter({ hasText: text })
const live = () => page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
const HOSTILE = '<img src=x onerror="document.title=\'owned\'">'

test('an empty list says so, and how to send a form', async () => {
  await page.goto(d.server.url)
  await page.getByTestId('empty').waitFor()
  expect(await page.getByTestId('code').textContent()).toContain('curl https://forms.example.com/api/form')
  expect(await page.getByTestId('open-sandbox').count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await screenshot(page, 'list-empty')
})

test('a new submission appears, and a decided one leaves, within 2 s and without a reload', async () => {
  await page.goto(d.server.url)
  await live()
  // The first one may still come with the page; once it has its card, the next can only come by itself.
  const first = await submit(d, { name: 'First Visitor' })
  await row('First Visitor').getByTestId('card-link').waitFor()
  const { id, card } = await submit(d, { name: 'Grace Hopper', message: HOSTILE })
  await row('Grace Hopper').waitFor({ timeout: 2000 })
  expect(await row('Grace Hopper').textContent()).toContain(HOSTILE)
  expect(await row('Grace Hopper').getByTestId('state').textContent()).toBe('Waiting')
  await until(
    'the link to its card', async () => await row('Grace Hopper').getByTestId('card-link').count() === 1, 2000,
  )
  expect(await row('Grace Hopper').getByTestId('card-link').getAttribute('href')).toMatch(
    /^https:\/\/\w+\.slack\.com\/archives\/C000000001\/p\d{16}$/,
  )
  await click(d, card, 'spam', id)
  await row('Grace Hopper').waitFor({ state: 'detached', timeout: 2000 })
  await row('First Visitor').waitFor()
  await click(d, first.card, 'spam', first.id)
  expect(await page.title()).not.toBe('owned')
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
  problems.splice(0)
})

test('10,000 submissions are paged through, found by text, and kept current', async () => {
  const all = series(10_000)
  await seed(d.redis.url, all)
  await page.goto(d.server.url)
  await row('Person 10000').waitFor()
  expect(await page.getByTestId('row').count()).toBe(50)
  expect(await page.getByTestId('total').textContent()).toMatch(/10,00\d pending/)

  const seen = new Set<string>()
  for (let number = 1; number <= 4; number++) {
    await page.getByTestId('page-number').filter({ hasText: `Page ${number} of` }).waitFor()
    await until(`rows of page ${number}`, async () => !seen.has(
      await page.getByTestId('row').first().getAttribute('data-id') ?? '',
    ))
    for (const one of await page.getByTestId('row').all()) seen.add(await one.getAttribute('data-id') ?? '')
    if (number < 4) await page.getByTestId('older').click()
  }
  const newest = all.toReversed().map(({ id }) => id)
  expect(newest.slice(0, 198).every(id => seen.has(id))).toBe(true)
  expect(seen.size).toBe(200)

  await seed(d.redis.url, [waiting({ id: 'fresh', data: { name: 'Fresh Fred' } })])
  await page.getByRole('button', { name: '1 new submission on the first page' }).click()
  await row('Fresh Fred').waitFor()

  await page.getByTestId('search').fill('message NUMBER 9321')
  await row('Person 9321').waitFor()
  await until('no other row', async () => await page.getByTestId('row').count() === 1, 1000)
  await page.getByTestId('search').fill('number 7777')
  for (const searched of [1, 2]) {
    await page.getByTestId('no-match').getByText('No match among 1,000 submissions').waitFor()
    await page.locator('section[aria-busy=false]').waitFor()
    await page.getByRole('button', { name: 'Search further' }).click()
    await page.getByTestId('page-number').filter({ hasText: `Page ${searched + 1}` }).waitFor()
  }
  await row('Person 7777').waitFor()
})

test('the list fits a phone, and axe finds nothing serious in light or dark', async () => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(d.server.url)
  await page.getByTestId('row').first().waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
  expect(await seriousFindings(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html.dark').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})
