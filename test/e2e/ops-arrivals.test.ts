import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, startBrowser } from '../support/browser'
import { click, deploy, submit, type Deployment } from '../support/deployment'
import { seed, series } from '../support/seed'
import { until } from '../support/until'

let d: Deployment
let browser: Browser
let page: Page
let problems: string[]

beforeAll(async () => {
  [d, browser] = await Promise.all([deploy({ NODE_ENV: 'development' }), startBrowser()])
  // A page's first requests would find a cold server on a busy machine.
  await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
  ;({ page, problems } = await openPage(browser))
})
afterAll(() => Promise.all([browser.close(), d.close()]))

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
  await page.getByTestId('older').click()
  await row('Person 1').first().waitFor()
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
