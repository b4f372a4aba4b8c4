import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './accessibility'
import { fits, screenshot, setLetters } from './browser'

/**
 * Checks a page without scripts on phone and desktop widths, light and dark, and with text twice as large: it is as
 * wide
 * as the screen, and accessible.
 */
export async function looks(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [[320, 'light'], [320, 'dark'], [1024, 'light'], [1024, 'dark']] as const) {
    await page.setViewportSize({ width, height: 640 })
    await page.emulateMedia({ colorScheme })
    await fits(page)
    expect(await seriousFindings(page)).toEqual([])
    await screenshot(page, `form-${name}-${colorScheme}-${width}`)
  }
  await page.setViewportSize({ width: 390, height: 640 })
  await setLetters(page, 2)
  await fits(page)
  await screenshot(page, `form-${name}-large`)
  await setLetters(page, 1)
}
