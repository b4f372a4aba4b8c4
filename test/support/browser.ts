import { mkdir } from 'node:fs/promises'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'

/** Where screenshots go when SCREENSHOTS names a folder. */
const FOLDER = process.env.SCREENSHOTS

/** An empty page that keeps each browser's window open: a new window costs three times what a tab costs. */
const windows = new WeakMap<Browser, Page>()

/** Debian's Chromium, without the background traffic that a closed network only refuses. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  })
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  windows.set(browser, await context.newPage())
  return browser
}

/**
 * A page that collects what goes wrong in it. Whoever opens the first one is nobody that the browser knows: it has
 * forgotten cookies and what pages stored. It keeps the scripts, which take longer to load than most tests to run.
 */
export async function openPage(
  browser: Browser, headers: Record<string, string> = {},
): Promise<{ page: Page, problems: string[] }> {
  const window = windows.get(browser)!
  const context = window.context()
  if (context.pages().length === 1) await forget(window)
  const page = await context.newPage()
  await context.setExtraHTTPHeaders(headers)
  // For what hangs; what has to come in time says so where it is waited for.
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', error => problems.push(error.message))
  return { page, problems }
}

async function forget(page: Page): Promise<void> {
  await page.context().clearCookies()
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'local_storage' })
  await chrome.detach()
}

/** A picture of the page or of one part of it, for people to look at. */
export async function screenshot(of: Page | Locator, name: string): Promise<void> {
  if (!FOLDER) return
  await mkdir(FOLDER, { recursive: true })
  await of.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled' })
}
