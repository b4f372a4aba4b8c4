interface Page { rows: { id: string }[], found: string[], scanned: number, cursor: string | null }

/**
 * Returns all rows for a query, with several requests if needed: each one searches for only 0.1 s, which is too short
 * for the whole list on a busy machine.
 */
export async function wholeList(url: string, query: string): Promise<Page> {
  const whole: Page = { rows: [], found: [], scanned: 0, cursor: '' }
  while (whole.cursor !== null) {
    const before = whole.cursor && `&before=${whole.cursor}`
    const page = await (await fetch(`${url}/api/submissions?${query}${before}`)).json() as Page
    whole.rows.push(...page.rows)
    whole.found.push(...page.found)
    whole.scanned += page.scanned
    whole.cursor = page.cursor
  }
  return whole
}
