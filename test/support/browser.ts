import { mkdir } from 'node:fs/promises'
import {
  chromium, type Browser as Chrome, type BrowserContextOptions, type Locator, type Page,
} from 'playwright-core'
import { until } from './until.ts'

/** Folder for screenshots. If unset, no screenshots are taken. */
const FOLDER = process.env.SCREENSHOTS
export const isLookedAt = FOLDER !== undefined

/** A browser without cookies, for one test file. */
export interface Browser {
  /** Window that stays open between tests: opening a window takes three times as long as opening a tab. */
  window: Page
  /** A page of another person, with its own window and cookies */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  close: () => Promise<void>
}

/** Time limit for hangs, ms. Tests that check speed set their own limit. */
const PATIENCE_MS = 60_000

/**
 * Browser of this worker, shared by its tests because starting Chromium takes longer than opening most pages. It ends
 * with the process.
 */
let chrome: Promise<Chrome> | undefined

/** Starts Debian's Chromium without its background traffic, which a network without internet would refuse. */
const launch = (isMeasured: boolean) => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', timeout: PATIENCE_MS,
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--renderer-process-limit=1', '--disable-site-isolation-trials',
    // Skip code optimization: test pages are too short-lived to profit from it.
    ...isMeasured ? [] : ['--js-flags=--no-opt --no-maglev'],
  ],
})

/** @param isMeasured true to run at full speed, with the code optimization that users have */
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
    // Closing the page also closes the browser context of a guest.
    close: async () => void await Promise.all([context.close(), ...guests.map(guest => guest.close())]),
  }
}

/** Closes the browser in a process that continues to run. */
export const stopBrowser = async (): Promise<void> => (await chrome)?.close()

/**
 * Opens a page and collects its errors. The first page of a window starts as a new visitor: cookies and local storage
 * are cleared. The script cache stays, because loading scripts takes longer than most tests.
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
 * Makes `page.route` resolve only once the page's requests are really routed. Playwright resolves it as soon as
 * Chromium accepts the route. An open page's process may not know the route yet, so its next request could bypass it.
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

async function forget(page: Page): Promise<void> {
  await page.context().clearCookies()
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'local_storage' })
  await chrome.detach()
}

const TWO_FRAMES = 'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** Width in px by which the page, or any control on it, extends beyond the window */
const EXCESS = `Math.max(
  document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll('a, button, input, select, textarea')].filter(part => part.checkVisibility())
    .map(part => part.getBoundingClientRect()).flatMap(({ left, right }) => [-left, right - innerWidth]),
)`

/**
 * Checks that nothing extends beyond the window once scripts have adapted to its width. Hidden parts may extend by
 * their margin.
 */
export async function fits(page: Page): Promise<void> {
  await page.evaluate(TWO_FRAMES)
  const isWithin = async () => await page.evaluate<number>(EXCESS) <= 1
  await until(`${page.url()} to fit ${page.viewportSize()?.width} px`, isWithin, 15_000)
}

/** Presses Enter on an element that may then disappear: `press` of a locator would look for it again. */
export async function pressEnter(element: Locator): Promise<void> {
  await element.focus()
  await element.page().keyboard.press('Enter')
}

/** Sets the browser's font size as a multiple of its default. Layouts in `rem` follow it. */
export async function setLetters(page: Page, times: number): Promise<void> {
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Page.setFontSizes', { fontSizes: { standard: 16 * times, fixed: 13 * times } })
  await chrome.detach()
  // Change the window size: only then do scripts that watch a media query notice the new font size.
  const { width, height } = page.viewportSize()!
  await page.setViewportSize({ width, height: height ^ 1 })
}

/** Takes a screenshot of the visible page, or of one part of it. No test compares it: it is for people. */
export async function screenshot(of: Page | Locator, name: string, options = {}): Promise<void> {
  if (!FOLDER) return
  await mkdir(FOLDER, { recursive: true })
  await of.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled', ...options })
}
