import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { until } from './until'

/** Minified build of axe-core: half the size of the package's entry. Every page has to compile it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface Finding {
  id: string
  impact: string
  nodes: { target: string[], failureSummary: string }[]
}

/**
 * Waits for running animations to end: colours are not final while a theme changes or a dialog fades in.
 * Skips collapsed content, which has no running animations, and animations that never end.
 */
const SETTLED = `(async () => {
  for (;;) {
    const running = document.getAnimations().filter(animation => Number.isFinite(
      animation.effect.getComputedTiming().endTime,
    ) && animation.playState === 'running' && animation.effect.target.checkVisibility({ contentVisibilityAuto: true }))
    if (running.length === 0) return
    await Promise.allSettled(running.map(({ finished }) => finished))
  }
})()`

const IS_QUIET = '!document.querySelector("[aria-busy=true]")'

/** Colour rules of axe-core, which take half of its run time */
const COLOURS = ['color-contrast', 'link-in-text-block']

const RULES = {
  'all': {},
  'colours': { runOnly: COLOURS },
  'all but colours': { rules: Object.fromEntries(COLOURS.map(rule => [rule, { enabled: false }])) },
}

/** Returns the serious and critical findings of axe-core on the current page, one line each. */
export async function seriousFindings(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  // Evaluate it: a content security policy would refuse a script tag.
  if (!await page.evaluate<boolean>('"axe" in globalThis')) await page.evaluate(AXE)
  // Old content is dimmed while the page loads new content: wait for the new content.
  await until('nothing to be busy', () => page.evaluate<boolean>(IS_QUIET))
  await page.evaluate(SETTLED)
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...RULES[rules] })
  const run = `axe.run(document, ${options}).then(({ violations }) => violations)`
  const violations = await page.evaluate<Finding[]>(run)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => (
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`)
    ))
}
