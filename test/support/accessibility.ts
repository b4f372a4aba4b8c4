import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  impact: string
  nodes: { target: string[], failureSummary: string }[]
}

/** A colour on its way from one theme to the other is neither's. */
const SETTLED = `(async () => {
  for (;;) {
    const running = document.getAnimations().filter(animation => animation instanceof CSSTransition)
    if (running.length === 0) return
    await Promise.allSettled(running.map(({ finished }) => finished))
  }
})()`

/** What axe-core finds serious or critical on the page as it is, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated and not added as a tag, which a content security policy would refuse.
  await page.evaluate(axe.source)
  await page.evaluate(SETTLED)
  const run = 'axe.run(document, { resultTypes: ["violations"] })'
  const { violations } = await page.evaluate<{ violations: Finding[] }>(run)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => (
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`)
    ))
}
