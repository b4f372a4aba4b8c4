import type { Page } from 'playwright-core'
import { startBrowser, stopBrowser, type Browser } from '../support/browser.ts'
import { deciding, DECISIONS, PACES, toldOf } from './deciding.ts'
import { closedLoop } from './load.ts'
import { markdown, plain, show, spread } from './report.ts'
import { FORM_REQUEST, startSandbox } from './target.ts'

/** "Slow 4G" in Chrome's developer tools: latency in ms, throughput in bytes a second */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 }
/** CPU slowdown of a phone compared with a desktop */
const SLOWER = 4
const OPEN = 70
const SCROLL_MS = 3000

/** The measured pages: the selector that shows the page is usable, and the goals in s and KB */
const PAGES = [
  {
    name: 'list, 50 rows', path: '/', usable: '[data-testid=row]',
    goals: { readable: 1.5, usable: 3.5, scripts: 150 },
  },
  { name: `sandbox, ${OPEN} cards`, path: '/sandbox', usable: '[data-testid=card]', goals: { usable: 5 } },
  { name: 'status', path: '/status', usable: '#parts', goals: {} },
  { name: 'setup', path: '/setup', usable: '[data-testid^=guide], section', goals: {} },
]

/** Opening a page with an empty browser cache, s and KB */
interface Opening {
  readable: number
  usable: number
  /** Time that the main thread was busy until then; not affected by other programs */
  busy: number
  /** Scripts loaded until then; the rest is loaded later, in idle time */
  scripts: number
  styles: number
  all: number
}

/** Measures how fast pages open on a slow connection and CPU, and how smoothly the list scrolls there. */
export async function opening(redisUrl: string, rounds: number): Promise<{ table: string, figures: unknown }> {
  const target = await startSandbox(redisUrl)
  const browser = await startBrowser({ isMeasured: true })
  try {
    await closedLoop(target.port, 4, () => FORM_REQUEST, { requests: OPEN })
    const url = `http://127.0.0.1:${target.port}`
    const openings: Record<string, Opening[]> = {}
    for (let round = 0; round < rounds; round++) for (const { name, path, usable } of PAGES) {
      (openings[name] ??= []).push(await open(browser, url + path, usable))
    }
    const frames = await scroll(browser, url)
    await closedLoop(target.port, 4, () => FORM_REQUEST, { requests: PACES.length * DECISIONS })
    const reading = await deciding(browser, url, 'reading')
    const decisions = { reading, rushing: await deciding(browser, url, 'rushing') }
    const table = `${draw(openings, frames)} ${toldOf(decisions)}`
    return { table, figures: { openings, frames, decisions } }
  }
  finally {
    await stopBrowser()
    await target.stop()
  }
}

async function open(browser: Browser, url: string, usable: string): Promise<Opening> {
  const page = await browser.newPage()
  const chrome = await slow(page)
  await chrome.send('Network.emulateNetworkConditions', SLOW_4G)
  const sizes = { Script: 0, Stylesheet: 0, all: 0 }
  const types = new Map<string, string>()
  chrome.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  chrome.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId)
    if (type === 'Script' || type === 'Stylesheet') sizes[type] += encodedDataLength
    sizes.all += encodedDataLength
  })
  const startedAt = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator(usable).first().waitFor()
  const took = performance.now() - startedAt
  const scripts = sizes.Script / 1000
  const { metrics } = await chrome.send('Performance.getMetrics')
  // Wait for the parts loaded in idle time, too.
  await page.evaluate('new Promise(resolve => requestIdleCallback(() => setTimeout(resolve, 3000)))')
  const [painted] = await page.evaluate(
    'performance.getEntriesByName("first-contentful-paint").map(entry => entry.startTime)',
  ) as [number]
  await page.context().close()
  return {
    readable: painted / 1000, usable: took / 1000,
    busy: metrics.find(({ name }) => name === 'TaskDuration')!.value,
    scripts, styles: sizes.Stylesheet / 1000, all: sizes.all / 1000,
  }
}

/** Returns the frames a second while the list scrolls from top to bottom. */
async function scroll(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage()
  await slow(page)
  await page.goto(url)
  await page.locator(PAGES[0]!.usable).nth(49).waitFor()
  return page.evaluate(`new Promise((resolve) => {
    const [startedAt, height] = [performance.now(), document.documentElement.scrollHeight - innerHeight]
    let frames = 0
    const move = () => {
      const part = (performance.now() - startedAt) / ${SCROLL_MS}
      if (part >= 1) return resolve(frames / ${SCROLL_MS} * 1000)
      frames++
      scrollTo(0, height * part)
      requestAnimationFrame(move)
    }
    requestAnimationFrame(move)
  })`)
}

async function slow(page: Page) {
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Network.enable')
  await chrome.send('Performance.enable', { timeDomain: 'threadTicks' })
  await chrome.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  return chrome
}

function draw(openings: Record<string, Opening[]>, frames: number): string {
  const head = ['page', 'readable, s', 'usable, s', 'main thread busy, s', 'script, KB', 'style, KB', 'all, KB', 'goal']
  const lines = PAGES.map(({ name, goals }) => {
    const of = (figure: keyof Opening) => spread(openings[name]!.map(each => each[figure]))
    const said = Object.entries(goals).map(([figure, most]) => (
      `${figure} ≤ ${most}: ${of(figure as keyof Opening).median <= most ? 'reached' : 'MISSED'}`
    ))
    return [
      name, show(of('readable')), show(of('usable')), show(of('busy')), plain(of('scripts').median),
      plain(of('styles').median), plain(of('all').median), said.join(', '),
    ]
  })
  return `${markdown(head, lines)}\n\nThe list scrolls at ${plain(frames)} frames a second.`
}
