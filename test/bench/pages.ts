import { readFileSync, writeFileSync } from 'node:fs'

/**
 * The pages that say what was measured, and the blocks of each. Between its marks a block belongs to `npm run bench`.
 */
export const PAGES = {
  'docs/performance.md': ['figures', 'history', 'opening', 'lighthouse', 'open', 'senders', 'replicas'],
  'docs/scaling.md': ['capacity'],
} as const

export type Block = typeof PAGES[keyof typeof PAGES][number]

const ROOT = new URL('../../', import.meta.url)
const startOf = (name: string) => `<!-- measured: ${name} -->`
const END = '<!-- /measured -->'

/** The page with these blocks in place of those that it had. @throws when it has no such marks */
export function withBlocks(page: string, blocks: Readonly<Partial<Record<Block, string>>>): string {
  return Object.entries(blocks).reduce((text, [name, block]) => {
    const from = text.indexOf(startOf(name))
    const to = text.indexOf(END, from)
    if (from < 0 || to < 0) throw new Error(`There is no ${startOf(name)} … ${END} to write into.`)
    return `${text.slice(0, from)}${startOf(name)}\n\n${block}\n\n${text.slice(to)}`
  }, page)
}

/** The page without its blocks: what people wrote. */
export function withoutBlocks(page: string): string {
  return page.replace(/<!-- measured: [^>]+ -->[\s\S]*?<!-- \/measured -->/g, '')
}

/** What the pages have of a block now. */
export function blockNow(name: Block): string {
  const [path] = Object.entries(PAGES).find(([, names]) => (names as readonly Block[]).includes(name))!
  const page = readFileSync(new URL(path, ROOT), 'utf8')
  const from = page.indexOf(startOf(name)) + startOf(name).length
  return page.slice(from, page.indexOf(END, from)).trim()
}

/** Writes what was measured into the pages that say it. */
export function writeBlocks(blocks: Readonly<Partial<Record<Block, string>>>): void {
  for (const [path, names] of Object.entries(PAGES)) {
    const own = Object.fromEntries(names.flatMap(name => blocks[name] === undefined ? [] : [[name, blocks[name]]]))
    const url = new URL(path, ROOT)
    if (Object.keys(own).length > 0) writeFileSync(url, withBlocks(readFileSync(url, 'utf8'), own))
  }
}
