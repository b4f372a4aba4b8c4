import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeEach, afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { deploy, submit, type Deployment } from '../support/deployment'
import { startServer } from '../support/server'
import { until } from '../support/until'

/** What people are promised. */
const SOON_MS = 5000

let browser: Browser
let d: Deployment
let page: Page

beforeAll(async () => { browser = await startBrowser() })
afterAll(() => browser.close())
beforeEach(async () => {
  d = await deploy({ NODE_ENV: 'development' })
  // A page's first requests would find a cold server on a busy machine.
  await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
  ;({ page } = await openPage(browser))
})
afterEach(async () => {
  d.redis.resume()
  await page.close()
  await d.close()
})

const badge = (text: string, timeout?: number) => page.getByTestId('liveness').filter({ hasText: text }).waitFor(timeout
  ? { timeout }
  : {})
const row = (text: string) => page.getByTestId('row').filter({ hasText: text })

describe('a page that says it is live', () => {
  test('stops saying so when the store falls silent, says what is wrong, and catches up', async () => {
    await page.goto(d.server.url)
    await submit(d, { name: 'Before' })
    await row('Before').waitFor()
    await badge('Live')
    d.redis.pause()
    await badge('Not live', SOON_MS)
    await page.getByTestId('stale').getByText('The store does not answer.').waitFor()
    await screenshot(page, 'list-not-live')
    d.redis.resume()
    await badge('Live')
    await submit(d, { name: 'After' })
    await row('After').waitFor()
  })

  test.each(['/', '/status', '/sandbox'])('%s stops saying so when the server is killed, and goes on with the next one', async (path) => {
    await d.server.kill()
    const env = { ...d.env, SANDBOX: '1', PORT: new URL(d.server.url).port }
    d.server = await startServer(env)
    await page.goto(d.server.url + path)
    const lost = path === '/sandbox'
      ? page.getByTestId('reconnecting')
      : page.getByTestId('liveness').filter({ hasText: 'Not live' })
    if (path === '/sandbox') await page.getByTestId('reviewer').waitFor()
    else await badge('Live')
    await d.server.kill()
    await lost.waitFor({ timeout: SOON_MS })
    if (path === '/status') {
      expect(await page.getByTestId('verdict').textContent()).toMatch(/cannot be reached.*What follows is as of/)
    }
    d.server = await startServer(env)
    await lost.waitFor({ state: 'detached' })
  })

  test('stops saying so when the machine slept or the network is gone, however alive the connection seems', async () => {
    // A clock is its whole context's.
    await page.close()
    page = await browser.newPage()
    await page.clock.install()
    await page.goto(d.server.url)
    await badge('Live')
    await page.route('**/api/submissions/events', route => route.abort())
    await page.clock.fastForward(60_000)
    await badge('Not live', SOON_MS)
    await page.unroute('**/api/submissions/events')
    await badge('Live')
  })
})
