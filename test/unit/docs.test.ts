import { globSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

/** Reference to a test in a table cell: `file`, or `file`: title */
const PROOF = /`((?:e2e|unit|contract)\/[\w/-]+\.test\.ts)`(?:: (.+?))?(?=; `|\s*(?:\||$))/g

const security = readFileSync(new URL('docs/security.md', root), 'utf8')
const rows = tables(security).filter(({ header }) => header.includes('Proven by')).flatMap(({ rows }) => rows)
const proofs = rows.flatMap(row => [...row.matchAll(PROOF)].map(([, file = '', title]) => ({ file, title })))

describe('docs/security.md', () => {
  it.each(rows)('has a proof: %s', row => expect(row.match(PROOF)).not.toBeNull())

  it.each(proofs)('is proven by $file: $title', ({ file, title }) => {
    const source = readFileSync(new URL(`test/${file}`, root), 'utf8').replaceAll('\\\'', '\'')
    if (title) expect(source).toContain(title)
  })
})

it('docs/scaling.md tells of every key in Redis that lives longer than a second', () => {
  const folder = new URL('server/adapters/redis/', root)
  const files = globSync('**/*.ts', { cwd: folder })
  const sources = files.map(name => readFileSync(new URL(name, folder), 'utf8')).join('\n')
  const names = new Set([...sources.matchAll(/\{triage\}:([a-z-]+)/g)].map(([, name]) => name!))
  const page = readFileSync(new URL('docs/scaling.md', root), 'utf8')
  // Leave out the channel for announcements, and the key for testing writes.
  for (const name of ['changes', 'probe']) expect(names.delete(name)).toBe(true)
  for (const name of names) expect(page, name).toMatch(new RegExp(`\\{triage\\}:${name}\\b|^\\|[^|]*\`${name}\``, 'm'))
})

describe('docs/reliability.md', () => {
  it('names only tests that exist', () => {
    const files = readdirSync(new URL('test/e2e', root))
    const named = [
      ...readFileSync(new URL('docs/reliability.md', root), 'utf8').matchAll(/`([\w-]+\.test\.ts)`/g),
    ].map(([, file]) => file)
    expect(named.length).toBeGreaterThan(10)
    expect(files).toEqual(expect.arrayContaining(named))
  })
})

/** Tables of a page, with one string per row. */
function tables(page: string): { header: string, rows: string[] }[] {
  const blocks = page.split('\n\n').filter(block => block.startsWith('|')).map(block => block.trim().split('\n'))
  return blocks.map(([header = '', , ...rows]) => ({ header, rows }))
}
