import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { fits, openPage, screenshot, setLetters, startBrowser } from '../support/browser'
import { deploy } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { seed, series, waiting } from '../support/seed'
import { until } from '../support/until'
import { WITH_PASSWORD } from '../support/visitor'

const ID = 'one-to-look-at'

const d = endAfterAll(await deploy({ NODE_ENV: 'development', SANDBOX: '1' }))
const browser = endAfterAll(await startBrowser())
await seed(d.redis.url, [...series(60), waiting({ id: ID })])
await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)

const PAGES = [
  { name: 'list', path: '/', says: 'Submissions', asks: '/api/submissions', isStill: true },
  {
    name: 'submission', path: `/submissions/${ID}`, says: 'Form submission', asks: `/api/submissions/${ID}`,
    isStill: true,
  },
  { name: 'deliveries', path: '/deliveries', says: 'Deliveries', asks: '/api/deliveries', isStill: true },
  { name: 'status', path: '/status', says: 'Status', asks: '/api/status' },
  { name: 'setup', path: '/setup', says: 'Setup', asks: '/api/setup', isStill: true },
  { name: 'sandbox', path: '/sandbox', says: 'Sandbox', asks: '/api/sandbox/state', isStill: true },
  { name: 'sign-in', path: '/sign-in', says: 'Form triage', asks: '/api/auth/session', isStill: true },
]

/** Records all requests of the page from now on. */
function requestsOf(page: Page): Request[] {
  const requests: Request[] = []
  page.on('request', request => requests.push(request))
  return requests
}

/** Opens a page, and blocks all scripts and styles of the build. */
async function openShell(path: string): Promise<Page> {
  const { page } = await openPage(browser)
  await page.route('**/_nuxt/**', route => route.abort())
  await page.goto(d.server.url + path, { waitUntil: 'domcontentloaded' })
  return page
}

test('scripts and styles are sent as brotli or gzip, and are for browsers to keep', async () => {
  const html = await (await fetch(d.server.url)).text()
  const files = new Set([...html.matchAll(/(?:href|src)="(\/_nuxt\/[^"]+)"/g)].map(([, path]) => path!))
  expect([...files].map(path => path.replace(/.*\./, ''))).toEqual(expect.arrayContaining(['css', 'js']))
  for (const path of files) {
    const plain = await (await fetch(d.server.url + path, { headers: { 'accept-encoding': 'identity' } })).text()
    for (const encoding of ['br', 'gzip']) {
      const answer = await fetch(d.server.url + path, { headers: { 'accept-encoding': encoding } })
      expect(answer.headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable')
      // The smallest files are not worth compressing.
      if (plain.length > 2000) expect(answer.headers.get('content-encoding'), path).toBe(encoding)
      expect(await answer.text()).toBe(plain)
    }
  }
})

test('the list is there with at most 150 KB of script, in as many files as a browser loads at once', async () => {
  const html = await (await fetch(d.server.url)).text()
  const needed = new Set([...html.matchAll(/(?:href|src)="(\/(?:_nuxt|api)\/[^"]+)"/g)].map(([, path]) => path!))
  expect(needed.size, [...needed].join(' ')).toBeLessThanOrEqual(6)
  const scripts = [...needed].filter(path => path.endsWith('.js'))
  const { page, problems } = await openPage(browser)
  // Block scripts that are loaded in idle time: the list must work without them.
  const isNeeded = (url: string) => !url.endsWith('.js') || scripts.includes(new URL(url).pathname)
  await page.route('**/_nuxt/**', route => isNeeded(route.request().url()) ? route.continue() : route.abort())
  const requests = requestsOf(page)
  await page.goto(d.server.url)
  await page.getByTestId('row').first().waitFor()
  const loaded = requests.filter(request => scripts.includes(new URL(request.url()).pathname))
  const sizes = await Promise.all(loaded.map(async (request) => {
    await (await request.response())!.finished()
    return (await request.sizes()).responseBodySize
  }))
  expect([sizes.length, Math.min(...sizes) > 0]).toEqual([scripts.length, true])
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(150_000)
  await page.close()
  expect(problems.filter(text => !text.includes('ERR_FAILED'))).toEqual([])
})

test.each(PAGES)('$name: what it shows is asked for beside its scripts, and once', async ({ path, asks, isStill }) => {
  const html = await (await fetch(d.server.url + path)).text()
  const asked = [...html.matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]+)/g)].map(([, url]) => url!)
  expect(asked.map(url => url.replace(/\?.*/, ''))).toEqual([...new Set(['/api/auth/session', asks])])
  const { page, problems } = await openPage(browser)
  const requests = requestsOf(page)
  await page.goto(d.server.url + path)
  await page.locator('#__nuxt-loader').waitFor({ state: 'detached' })
  // Wait until the page is live: by then, an unwanted second request would have happened.
  if (await page.getByTestId('liveness').count() > 0) {
    await page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
  }
  const times = (url: string) => requests.filter(request => request.url() === d.server.url + url).length
  expect(times('/api/auth/session')).toBe(1)
  expect(times('/api/ops/context')).toBeLessThanOrEqual(1)
  // Other pages poll every few seconds.
  if (isStill) expect(asked.map(times)).toEqual(asked.map(() => 1))
  expect(requests.filter(request => request.url().endsWith('/search'))).toEqual([])
  // Event streams pass the loaded revision (?since=…): otherwise the first event would reload the data. The set-up page
  // only checks that the server is up.
  const events = requests.map(request => request.url()).filter(url => /\/events$/.test(url))
  if (path !== '/setup') expect(events).toEqual([])
  await page.close()
  expect(problems).toEqual([])
})

test.each(PAGES)('$name: its frame stands before scripts and styles, in light and dark', async ({ name, path, says }) => {
  const page = endAfterTest(await openShell(path))
  await page.locator('h1').filter({ hasText: says, visible: true }).waitFor()
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  expect(await page.getByRole('status').textContent()).toBe('Loading…')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.reload({ waitUntil: 'domcontentloaded' })
    await page.locator(`html.${colorScheme} h1`).filter({ visible: true }).waitFor()
    // Pause the delay of the "still loading" message, which would appear seconds later.
    await page.evaluate('document.getAnimations().forEach(each => each.pause())')
    expect(await seriousFindings(page, colorScheme === 'light' ? 'all' : 'colours')).toEqual([])
    await screenshot(page, `shell-${name}-${colorScheme}`)
  }
  await page.setViewportSize({ width: 390, height: 860 })
  await fits(page)
  await setLetters(page, 2)
  await fits(page)
})

test('a page whose scripts do not come says so after a while, and how to try again', async () => {
  const page = endAfterTest(await openShell('/'))
  const again = page.getByRole('link', { name: 'load the page again' })
  await page.locator('h1').filter({ visible: true }).waitFor()
  const late = 'document.querySelector(".late").getAnimations()[0]'
  // Restart the message's delay: some of it has passed already.
  await page.evaluate(`${late}.pause(), ${late}.currentTime = 0`)
  expect(await again.isVisible()).toBe(false)
  // Skip to the end of the delay.
  await page.evaluate(`${late}.finish()`)
  await again.waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await screenshot(page, 'shell-late')
  await page.unroute('**/_nuxt/**')
  await again.click()
  await page.getByTestId('row').first().waitFor()
})

test('who is not signed in gets the frame of the sign-in, and nothing is asked that would be refused', async () => {
  const closed = endAfterTest(await deploy(WITH_PASSWORD))
  const html = await (await fetch(closed.server.url)).text()
  expect(html).toContain('data-page="sign-in"')
  expect(html).not.toContain('href="/api/submissions')
})

test('an address is no markup', async () => {
  const html = await (await fetch(`${d.server.url}/submissions/%22%3E%3Cimg%20src=x%3E`)).text()
  expect(html).not.toContain('<img')
  expect(html).not.toContain('href="/api/submissions')
})
