import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The components of Nuxt UI that the files of a folder use, by their names without the prefix. */
export function componentsOf(folder: string): string[] {
  const files = globSync(`${folder}/**/*.vue`).map(path => readFileSync(join(path), 'utf8'))
  return [...new Set(files.flatMap(text => [...text.matchAll(/<(?:Lazy)?U([A-Z]\w+)/g)].map(([, name]) => name!)))]
}
