import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the Nuxt UI components that the files of a folder use, by name without prefix. */
export function componentsOf(folder: string): string[] {
  const files = globSync(`${folder}/**/*.vue`).map(path => readFileSync(join(path), 'utf8'))
  return [...new Set(files.flatMap(text => [...text.matchAll(/<(?:Lazy)?U([A-Z]\w+)/g)].map(([, name]) => name!)))]
}
