import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { until } from './until'

/** Half as long as what the package has for imports: each page compiles it anew. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface Finding {
  id: string
  impact: string
  nodes: { target: string[], failureSummary: string }[]
}

/**
 * A colour on its way from one theme to the other is neither's, nor is that of a dialog that fades in. Within what is
 * folded nothing is on its way, and what pulses never arrives.
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

/** What axe-core asks of colours, which takes it half of the time. */
const COLOURS = ['color-contrast', 'link-in-text-block']

const RULES = {
  'all': {},
  'colours': { runOnly: COLOURS },
  'all but colours': { rules: Object.fromEntries(COLOURS.map(rule => [rule, { enabled: false }])) },
}

/** What axe-core finds serious or critical on the page as it is, one line each. */
export async function seriousFindings(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  // Evaluated and not added as a tag, which a content security policy would refuse.
  if (!await page.evaluate<boolean>('"axe" in globalThis')) await page.evaluate(AXE)
  // What is being replaced is shown paler.
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
