import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** Returns the disk usage of a folder, MB; in whole blocks, as `du` counts. */
export function folderSize(path: string): number {
  const blocks = (entry: string): number => {
    const stat = lstatSync(entry)
    const below = stat.isDirectory() ? readdirSync(entry).reduce((sum, name) => sum + blocks(join(entry, name)), 0) : 0
    return stat.blocks + below
  }
  return blocks(path) * 512 / 1e6
}

/** Returns the disk usage of packages with all their dependencies, MB. */
export function packagesSize(names: readonly string[]): number {
  const found = new Map<string, number>()
  const visit = (name: string, from: string) => {
    const folder = locate(name, from)
    if (!folder || found.has(folder)) return
    const nested = existsSync(join(folder, 'node_modules')) ? folderSize(join(folder, 'node_modules')) : 0
    found.set(folder, folderSize(folder) - nested)
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    for (const dependency of Object.keys(dependencies)) visit(dependency, folder)
  }
  for (const name of names) visit(name, ROOT)
  return [...found.values()].reduce((sum, size) => sum + size, 0)
}

/** Searches the `node_modules` folders upwards, as node does. */
function locate(name: string, from: string): string | null {
  const candidate = join(from, 'node_modules', name)
  if (existsSync(candidate)) return candidate
  return dirname(from) === from ? null : locate(name, dirname(from))
}
