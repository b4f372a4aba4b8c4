// Checks that every body sent to a vendor during a full test run matches the vendor's own types.
import { globSync, readFileSync } from 'node:fs'
import { mistyped, type Body } from './mistyped.ts'

const sent = globSync(`${process.argv[2]}/*.jsonl`)
  .flatMap(file => readFileSync(file, 'utf8').trimEnd().split('\n'))
  .filter(Boolean)
  .map(line => JSON.parse(line) as { file: string, body: Body })
const mistakes = await Promise.all([...Map.groupBy(sent, ({ file }) => file)].map(
  ([file, bodies]) => mistyped(file, bodies.map(({ body }) => body)),
))
for (const mistake of new Set(mistakes.flat())) console.error(`Not as the vendor describes it: ${mistake}`)
console.log(`${sent.length} bodies`)
process.exitCode = sent.length > 0 && mistakes.flat().length === 0 ? 0 : 1
