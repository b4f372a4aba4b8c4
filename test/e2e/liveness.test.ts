import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { click, deploy, submit, type Deployment } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startServer } from '../support/server'
import { until } from '../support/until'

/** Promised maximum times until a page shows a lost connection, and a change, ms */
const [SOON_MS, CHANGE_MS] = [5000, 2000]

let d: Deployment
let page: Page
let problems: string[]

const browser = endAfterAll(await startBrowser())
beforeEach(async () => {
  d = endAfterTest(await deploy({ NODE_ENV: 'development' }))
  // Warm up: on a busy machine, a page's first requests would be slow.
  await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
  ;({ page, problems } = await openPage(browser))
})
afterEach(async () => {
  d.redis.resume()
  await page.close()
})

const badge = (text: string, timeout?: number) => page.getByTestId('liveness').filter({ hasText: text }).waitFor(timeout
  ? { timeout }
  : {})
/**
 * Checks that the page shows the text within the promised time. The page itself measures this time: polling from here
 * would notice the text up to half a second late.
 */
async function saysSoon(testId: string, text: string, end: () => unknown): Promise<void> {
  const said = page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const shown = document.querySelector('[data-testid=${testId}]')
      if (shown?.checkVisibility() && shown.textContent.includes('${text}')) resolve(Date.now())
    }
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
    look()
  })`)
  await end()
  const ended = Date.now()
  expect(await said - ended).toBeLessThan(SOON_MS)
}
const row = (text: string) => page.getByTestId('row').filter({ hasText: text })
const HOSTILE = '<img src=x onerror="document.title=\'owned\'">'

describe('a page that says it is live', () => {
  test('stops saying so when the store falls silent, says what is wrong, and catches up', async () => {
    await page.goto(d.server.url)
    await submit(d, { name: 'Before' })
    await row('Before').waitFor()
    await badge('Live')
    await saysSoon('liveness', 'Not live', () => d.redis.pause())
    await page.getByTestId('stale').getByText('The store does not answer.').waitFor()
    await screenshot(page, 'list-not-live')
    d.redis.resume()
    await badge('Live')
    await submit(d, { name: 'After' })
    await row('After').waitFor()
  })

  test.each([
    ['/status', 'liveness', 'Not live'], ['/sandbox', 'reconnecting', 'reconnecting…'],
  ])('%s stops saying so when the server is killed, and goes on with the next one', async (path, testId, text) => {
    await d.server.kill()
    const env = { ...d.env, SANDBOX: '1', PORT: new URL(d.server.url).port }
    d.server = await startServer(env)
    await page.goto(d.server.url + path)
    // Wait for the room: a page can reconnect only after its first connection.
    await page.getByTestId(path === '/sandbox' ? 'room-triage' : 'liveness').waitFor()
    if (path === '/status') await badge('Live')
    await saysSoon(testId, text, () => d.server.kill())
    if (path === '/status') {
      await page.getByTestId('verdict').filter({ hasText: /cannot be reached.*The figures are from/ }).waitFor()
    }
    d.server = await startServer(env)
    await page.getByTestId(testId).filter({ hasText: text }).waitFor({ state: 'detached' })
  })

  test('stops saying so when the machine slept or the network is gone, however alive the connection seems', async () => {
    // A fake clock applies to the whole browser context, so use a new one.
    await page.close()
    page = await browser.newPage()
    await page.clock.install()
    await page.goto(d.server.url)
    await badge('Live')
    await page.route('**/api/submissions/events*', route => route.abort())
    await page.clock.fastForward(60_000)
    await badge('Not live', SOON_MS)
    await page.unroute('**/api/submissions/events*')
    await badge('Live')
  })
})

describe('a page that is live', () => {
  test('a new submission appears, and a decided one leaves, within 2 s and without a reload', async () => {
    // Links to cards need the workspace's address. The service requests it once and waits only briefly for the answer.
    const { id: before } = await submit(d, { name: 'Before' })
    await until('the address', async () => (
      (await (await fetch(`${d.server.url}/api/submissions/${before}`)).text()).includes('slack.com/archives')
    ))
    await page.goto(d.server.url)
    await badge('Live')
    // The page may load with the first submission. Once that has its card, the next one arrives as a live change.
    const first = await submit(d, { name: 'First Visitor' })
    await row('First Visitor').getByTestId('card-link').waitFor()
    const { id, card } = await submit(d, { name: 'Grace Hopper', message: HOSTILE })
    await row('Grace Hopper').waitFor({ timeout: CHANGE_MS })
    expect(await row('Grace Hopper').textContent()).toContain(HOSTILE)
    expect(await row('Grace Hopper').getByTestId('state').textContent()).toBe('Waiting')
    const link = row('Grace Hopper').getByTestId('card-link')
    await until('the link to its card', async () => await link.count() === 1, CHANGE_MS)
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/\w+\.slack\.com\/archives\/C000000001\/p\d{16}$/)
    await click(d, card, 'spam', id)
    await row('Grace Hopper').waitFor({ state: 'detached', timeout: CHANGE_MS })
    await row('First Visitor').waitFor()
    await click(d, first.card, 'spam', first.id)
    expect(await page.title()).not.toBe('owned')
    await page.close()
    expect(problems).toEqual([])
  })
})
