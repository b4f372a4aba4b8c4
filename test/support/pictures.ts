import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './accessibility'
import { fits, isLookedAt, screenshot, setLetters } from './browser'

/**
 * Takes screenshots of a page in both themes, on narrow and wide screens, and with text twice as large. Checks that
 * nothing sticks out, that it has one top-level heading, and that axe finds nothing serious.
 */
export async function pictures(page: Page, name: string): Promise<void> {
  expect(await page.locator('h1').count(), name).toBe(1)
  for (const colorScheme of ['light', 'dark'] as const) {
    const isFirst = colorScheme === 'light'
    await page.emulateMedia({ colorScheme })
    await page.locator(`html.${colorScheme}`).waitFor()
    // A theme changes only colours, so the layout is checked in one; the other is for people to look at.
    for (const width of isFirst || isLookedAt ? [320, 390, 1024, 1440] : [1440]) {
      await page.setViewportSize({ width, height: 860 })
      await picture(page, `${name}-${colorScheme}-${width}`)
    }
    expect(await seriousFindings(page, isFirst ? 'all' : 'colours'), `${name}-${colorScheme}`).toEqual([])
    if (!isFirst && !isLookedAt) continue
    await setLetters(page, 2)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 860 })
      await fits(page)
      if (isLookedAt) await wholeScreenshot(page, `${name}-${colorScheme}-large-${width}`)
    }
    // Skip colours: they are the same as at the usual size.
    if (isFirst) expect(await seriousFindings(page, 'all but colours'), `${name}-large`).toEqual([])
    await setLetters(page, 1)
  }
}

/** Uses a window as high as the page: a screenshot beyond the window would have text of the usual size. */
async function wholeScreenshot(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize()!
  const needed = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.max(height, needed) })
  await screenshot(page, name)
  await page.setViewportSize({ width, height })
}

async function picture(page: Page, name: string): Promise<void> {
  await fits(page)
  await screenshot(page, name, { fullPage: true })
}
