import { readFileSync, writeFileSync } from 'node:fs'

/** Pages with measured figures, and their blocks. `npm run bench` replaces everything between a block's markers. */
export const PAGES = {
  'docs/performance.md': ['figures', 'history', 'opening', 'lighthouse', 'open', 'senders', 'replicas'],
  'docs/scaling.md': ['capacity', 'stores'],
} as const

export type Block = typeof PAGES[keyof typeof PAGES][number]

const ROOT = new URL('../../', import.meta.url)
const startOf = (name: string) => `<!-- measured: ${name} -->`
const END = '<!-- /measured -->'

/** Returns the page with its blocks replaced by these. @throws if a marker is missing */
export function withBlocks(page: string, blocks: Readonly<Partial<Record<Block, string>>>): string {
  return Object.entries(blocks).reduce((text, [name, block]) => {
    const from = text.indexOf(startOf(name))
    const to = text.indexOf(END, from)
    if (from < 0 || to < 0) throw new Error(`There is no ${startOf(name)} … ${END} to write into.`)
    return `${text.slice(0, from)}${startOf(name)}\n\n${block}\n\n${text.slice(to)}`
  }, page)
}

/** Returns the page without its blocks, i.e. the hand-written part. */
export function withoutBlocks(page: string): string {
  return page.replace(/<!-- measured: [^>]+ -->[\s\S]*?<!-- \/measured -->/g, '')
}

/** Returns the current content of a block. */
export function blockNow(name: Block): string {
  const [path] = Object.entries(PAGES).find(([, names]) => (names as readonly Block[]).includes(name))!
  const page = readFileSync(new URL(path, ROOT), 'utf8')
  const from = page.indexOf(startOf(name)) + startOf(name).length
  return page.slice(from, page.indexOf(END, from)).trim()
}

/** Writes the measured blocks into their pages. */
export function writeBlocks(blocks: Readonly<Partial<Record<Block, string>>>): void {
  for (const [path, names] of Object.entries(PAGES)) {
    const own = Object.fromEntries(names.flatMap(name => blocks[name] === undefined ? [] : [[name, blocks[name]]]))
    const url = new URL(path, ROOT)
    if (Object.keys(own).length > 0) writeFileSync(url, withBlocks(readFileSync(url, 'utf8'), own))
  }
}
