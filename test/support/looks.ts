import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './accessibility'
import { fits, screenshot } from './browser'

/** A page without scripts on a phone and on a desk, light and dark: as wide as the screen, and accessible. */
export async function looks(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [[320, 'light'], [320, 'dark'], [1024, 'light'], [1024, 'dark']] as const) {
    await page.setViewportSize({ width, height: 640 })
    await page.emulateMedia({ colorScheme })
    await fits(page)
    expect(await seriousFindings(page)).toEqual([])
    await screenshot(page, `form-${name}-${colorScheme}-${width}`)
  }
}
