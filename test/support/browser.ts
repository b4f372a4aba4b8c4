import { mkdir } from 'node:fs/promises'
import {
  chromium, type Browser as Chrome, type BrowserContextOptions, type Locator, type Page, type Route,
} from 'playwright-core'
import { until } from './until.ts'

/** Where screenshots go when SCREENSHOTS names a folder. */
const FOLDER = process.env.SCREENSHOTS
export const isLookedAt = FOLDER !== undefined

/** A browser that knows nobody, and that a file of tests has to itself. */
export interface Browser {
  /** Keeps the window open between tests: a new window costs three times what a tab costs. */
  window: Page
  /** A page of somebody else, with a window and cookies of their own. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  close: () => Promise<void>
}

/** For what hangs; what has to come in time says so where it is waited for. */
const PATIENCE_MS = 60_000

/** The one of this worker: Chromium starts more slowly than most pages open. It ends with the process. */
let chrome: Promise<Chrome> | undefined

/** Debian's Chromium, without the background traffic that a closed network only refuses. */
const launch = (isMeasured: boolean) => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', timeout: PATIENCE_MS,
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--renderer-process-limit=1', '--disable-site-isolation-trials',
    // No page of a test lives long enough for better code to be worth its making.
    ...isMeasured ? [] : ['--js-flags=--no-opt --no-maglev'],
  ],
})

/** @param isMeasured the browser is as fast as people's */
export async function startBrowser({ isMeasured = false } = {}): Promise<Browser> {
  const running = await (chrome ??= launch(isMeasured))
  const context = await running.newContext({ viewport: { width: 1280, height: 860 } })
  const guests: Page[] = []
  return {
    window: await context.newPage(),
    newPage: async (options) => {
      const page = await running.newPage(options)
      page.setDefaultTimeout(PATIENCE_MS)
      awaitRoutes(page)
      guests.push(page)
      return page
    },
    // The browser of a guest goes with its page.
    close: async () => void await Promise.all([context.close(), ...guests.map(guest => guest.close())]),
  }
}

/** For a process that goes on without it. */
export const stopBrowser = async (): Promise<void> => (await chrome)?.close()

/**
 * A page that collects what goes wrong in it. Whoever opens the first one is nobody that the browser knows: it has
 * forgotten cookies and what pages stored. It keeps the scripts, which take longer to load than most tests to run.
 */
export async function openPage(
  { window }: Browser, headers: Record<string, string> = {},
): Promise<{ page: Page, problems: string[] }> {
  const context = window.context()
  if (context.pages().length === 1) await forget(window)
  const page = await context.newPage()
  await context.setExtraHTTPHeaders(headers)
  page.setDefaultTimeout(PATIENCE_MS)
  awaitRoutes(page)
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', error => problems.push(error.message))
  return { page, problems }
}

const PROBE = '/favicon.svg?routed'

/**
 * Has `page.route` resolve once requests of the page are routed. By itself it resolves when Chromium says so, which is
 * before the process of a page that is open has heard of it: what is pressed next would go past the route.
 */
function awaitRoutes(page: Page): void {
  const route = page.route.bind(page)
  page.route = async (...args) => {
    const routed = await route(...args)
    if (page.url() === 'about:blank') return routed
    await route(url => url.href.endsWith(PROBE), probe => probe.fulfill({ status: 204 }), { times: 1 })
    await until('the page to be routed', () => (
      page.evaluate<boolean>(`fetch('${PROBE}').then(({ status }) => status === 204)`)
    ))
    return routed
  }
}

/** Requests of the page go on as the handler says, once the returned function is called. */
export async function holdRequests(
  page: Page, url: string, handle: (route: Route) => Promise<void>,
): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await page.route(url, route => promise.then(() => handle(route)))
  return () => resolve(undefined)
}

async function forget(page: Page): Promise<void> {
  await page.context().clearCookies()
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'local_storage' })
  await chrome.detach()
}

const TWO_FRAMES = 'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** By how much the page is wider than the window, or something in it to press or to type into sticks out, px. */
const EXCESS = `Math.max(
  document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll('a, button, input, select, textarea')].filter(part => part.checkVisibility())
    .map(part => part.getBoundingClientRect()).flatMap(({ left, right }) => [-left, right - innerWidth]),
)`

/** Nothing sticks out of the window, once the page's scripts have met its width; what is hidden may, by its margin. */
export async function fits(page: Page): Promise<void> {
  await page.evaluate(TWO_FRAMES)
  const isWithin = async () => await page.evaluate<number>(EXCESS) <= 1
  await until(`${page.url()} to fit ${page.viewportSize()?.width} px`, isWithin, 15_000)
}

/** As people set it in their browser, which layouts follow that are cut by `rem`; 1 is what browsers come with. */
export async function setLetters(page: Page, times: number): Promise<void> {
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Page.setFontSizes', { fontSizes: { standard: 16 * times, fixed: 13 * times } })
  await chrome.detach()
  // Scripts that watch a media query hear of it with the next change of the window.
  const { width, height } = page.viewportSize()!
  await page.setViewportSize({ width, height: height ^ 1 })
}

/** A picture of what is to be seen of the page, or of one part of it, for people to look at. */
export async function screenshot(of: Page | Locator, name: string, options = {}): Promise<void> {
  if (!FOLDER) return
  await mkdir(FOLDER, { recursive: true })
  await of.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled', ...options })
}
