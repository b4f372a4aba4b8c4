import { spread } from './report.ts'
import type { Browser } from '../support/browser.ts'

/** Number of decisions at each pace, one after the other; half of them need a confirmation. */
export const DECISIONS = 100

/** `reading` decides after the next submission is preloaded; `rushing` decides as soon as a submission is shown. */
export const PACES = ['reading', 'rushing'] as const
type Pace = typeof PACES[number]

/**
 * Returns the times from the last key of a decision to the next submission, ms, in a browser that is not throttled.
 * Every other decision is spam, which takes effect at once; the others are forwards, which ask for confirmation.
 */
export async function deciding(browser: Browser, url: string, pace: Pace): Promise<number[]> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.locator('[data-testid=row]').first().waitFor()
  await page.locator('[data-testid=row] a').first().press('Enter')
  await page.waitForURL('**/submissions/*')
  await page.evaluate(`addEventListener('keydown', () => globalThis.pressedAt = performance.now(), true)`)
  const took: number[] = []
  for (let count = 0; count < DECISIONS; count++) {
    const id = /submissions\/([^/#]+)/.exec(page.url())?.[1] ?? ''
    await page.locator('main').getByText(id).waitFor()
    if (pace === 'reading') await page.locator(`[data-next]:not([data-next="${id}"])`).waitFor()
    if (count % 2 === 1) {
      await page.keyboard.press('f')
      await page.getByTestId('confirm').waitFor()
    }
    const shown = page.evaluate<number>(`new Promise((resolve) => {
      const look = () => {
        const id = location.pathname.split('/').at(-1)
        const isShown = id !== '${id}' && document.querySelector('main').textContent.includes(id)
        if (isShown) resolve(performance.now() - globalThis.pressedAt)
        else requestAnimationFrame(look)
      }
      look()
    })`)
    await page.keyboard.press(count % 2 === 1 ? 'Enter' : 's')
    took.push(await shown)
  }
  await page.close()
  return took
}

/** Text below the table */
export function toldOf(took: Record<Pace, number[]>): string {
  const [reading, rushing] = PACES.map(pace => said(took[pace])) as [string, string]
  return `From the key of a decision to the next submission, of ${DECISIONS} each: ${reading} for who reads until the`
    + ` page knows what comes next, ${rushing} for who presses at once.`
}

function said(took: number[]): string {
  const { median, max } = spread(took)
  return `${Math.round(median)} ms, ${Math.round(max)} ms at most (≤ 200: ${max <= 200 ? 'reached' : 'MISSED'})`
}
