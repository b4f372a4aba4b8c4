import { mkdir } from 'node:fs/promises'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'

/** Where screenshots go when SCREENSHOTS names a folder. */
const FOLDER = process.env.SCREENSHOTS

/** Debian's Chromium, without the background traffic that a closed network only refuses. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
}

/** A page that collects what goes wrong in it. */
export async function openPage(browser: Browser, options: Parameters<Browser['newPage']>[0] = {}): Promise<{ page: Page, problems: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, ...options })
  // For what hangs; what has to come in time says so where it is waited for.
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', error => problems.push(error.message))
  return { page, problems }
}

/** A picture of the page or of one part of it, for people to look at. */
export async function screenshot(of: Page | Locator, name: string): Promise<void> {
  if (!FOLDER) return
  await mkdir(FOLDER, { recursive: true })
  await of.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled' })
}
