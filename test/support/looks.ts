import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './accessibility'
import { fits, screenshot, setLetters } from './browser'

/**
 * Checks that a page without scripts fits the width of the screen and is accessible: on a phone and a desktop, light
 * and dark, and with text twice as large.
 */
export async function looks(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme, letters] of [[320, 'light', 1], [1024, 'dark', 1], [390, 'light', 2]] as const) {
    await page.setViewportSize({ width, height: 640 })
    await page.emulateMedia({ colorScheme })
    await setLetters(page, letters)
    await fits(page)
    if (letters === 1) expect(await seriousFindings(page, width === 320 ? 'all' : 'colours')).toEqual([])
    await screenshot(page, `form-${name}-${colorScheme}-${width}`)
  }
  await setLetters(page, 1)
}
