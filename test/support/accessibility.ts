import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  impact: string
  nodes: { target: string[], failureSummary: string }[]
}

/** What axe-core finds serious or critical on the page as it is, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated and not added as a tag, which a content security policy would refuse.
  await page.evaluate(axe.source)
  const run = 'axe.run(document, { resultTypes: ["violations"] })'
  const { violations } = await page.evaluate<{ violations: Finding[] }>(run)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => (
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`)
    ))
}
