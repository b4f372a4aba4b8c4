import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding { id: string, impact: string, nodes: { html: string }[] }

/** What axe-core finds wrong with the page as it is now and calls serious or critical, with the elements. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // As the developer tools do: the page's own policy lets no such script in.
  await page.evaluate(AXE)
  const findings = await page.evaluate(async () => (await (globalThis as unknown as { axe: { run: () => Promise<{ violations: Finding[] }> } }).axe.run()).violations)
  return findings.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
