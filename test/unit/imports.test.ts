import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** Project files imported by each file. Nuxt's aliases, which lead to files for pages, are resolved. */
const imports = new Map(globSync('{server,shared,app,pages}/**/*.{ts,vue}', { cwd: ROOT }).map((file) => {
  const code = readFileSync(join(ROOT, file), 'utf8')
  const paths = code.matchAll(/\b(?:from|import)\s*\(?\s*'((?:\.{1,2}|~|#shared)\/[^']+)'/g)
  return [file, [...paths].flatMap(([, path]) => found(path!, file))] as const
}))

function found(path: string, from: string): string[] {
  const base = path.startsWith('.')
    ? join(dirname(from), path)
    : path.replace(/^~\//, 'app/').replace('#shared/', 'shared/')
  return [base, `${base}.ts`, `${base}/index.ts`].filter(file => /\.\w+$/.test(file) && existsSync(join(ROOT, file)))
}

/** First path of imports from a file back to itself. */
function circleFrom(file: string, way: readonly string[] = [], seen = new Set<string>()): string[] | null {
  if (way[0] === file) return [...way, file]
  if (seen.has(file)) return null
  seen.add(file)
  for (const next of imports.get(file) ?? []) {
    const circle = circleFrom(next, [...way, file], seen)
    if (circle) return circle
  }
  return null
}

test('imports are read: of types, of values, and those that are late', () => {
  expect(imports.get('server/app.ts')).toContain('server/composition/compose.ts')
  expect(imports.get('server/composition/stores.ts')).toContain('server/adapters/redis/state.ts')
  expect([...imports.values()].flat().length).toBeGreaterThan(1000)
})

test('no files import each other, or in a circle, not for types either', () => {
  expect([...imports.keys()].map(file => circleFrom(file)).filter(circle => circle !== null)).toEqual([])
})
