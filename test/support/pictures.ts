import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './accessibility'
import { fits, isLookedAt, screenshot, setLetters } from './browser'

/**
 * Checks that a page has one top-level heading, that it fits narrow and wide screens, also with text twice as large,
 * and that axe finds nothing serious in either theme. Takes screenshots if they are turned on.
 */
export async function pictures(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  expect(await page.locator('h1').count(), name).toBe(1)
  for (const colorScheme of ['light', 'dark'] as const) {
    const isFirst = colorScheme === 'light'
    await page.emulateMedia({ colorScheme })
    await page.locator(`html.${colorScheme}`).waitFor()
    // Both themes have the same layout: check it in one. The other is needed only for screenshots.
    if (isFirst || isLookedAt) await layouts(page, `${name}-${colorScheme}`)
    await page.setViewportSize(before)
    expect(await seriousFindings(page, isFirst ? 'all' : 'colours'), `${name}-${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null })
}

async function layouts(page: Page, name: string): Promise<void> {
  for (const [width, letters] of [[320, 1], [390, 1], [1024, 1], [1440, 1], [390, 2], [1440, 2]] as const) {
    if (!isLookedAt && (width === 1024 || (width === 390 && letters === 1))) continue
    await page.setViewportSize({ width, height: 860 })
    await setLetters(page, letters)
    await fits(page)
    if (letters === 1) await screenshot(page, `${name}-${width}`, { fullPage: true })
    else if (isLookedAt) await wholeScreenshot(page, `${name}-large-${width}`)
  }
  await setLetters(page, 1)
}

/** Enlarges the window to the height of the page: beyond the window, a screenshot shows text in the usual size. */
async function wholeScreenshot(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize()!
  const needed = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.max(height, needed) })
  await screenshot(page, name)
  await page.setViewportSize({ width, height })
}
