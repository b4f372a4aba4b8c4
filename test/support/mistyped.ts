import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A body, and its key in `Bodies` */
export interface Body { name: string, value: unknown }

const TSC = resolve('node_modules/typescript-native/bin/tsc')
const FLAGS = '--noEmit --ignoreConfig --strict --skipLibCheck --module preserve --allowImportingTsExtensions --types node --pretty false'.split(' ')

/** Results by the shape of a body. Bodies of one shape differ only in their texts, so each shape is checked once. */
const known = new Map<string, Promise<string[]>>()

/**
 * Compares bodies with the types in a vendor's package, using TypeScript, and returns the differences, including
 * unknown fields. One check takes a second of processor time, so a full test run checks all bodies together at its end
 * (`check-bodies.ts`).
 *
 * @param file path of the module that declares the type `Bodies`
 */
export async function mistyped(file: string, bodies: readonly Body[]): Promise<string[]> {
  const shapes = new Map(bodies.map(body => [JSON.stringify([file, body.name, shapeOf(body.value)]), body]))
  const fresh = [...shapes].filter(([shape]) => !known.has(shape))
  if (process.env.BODIES) {
    for (const [shape] of fresh) known.set(shape, Promise.resolve([]))
    const lines = fresh.map(([, body]) => `${JSON.stringify({ file, body })}\n`)
    await appendFile(join(process.env.BODIES, `${process.pid}.jsonl`), lines.join(''))
    return []
  }
  const looked = fresh.length > 0 ? mistakesOf(file, fresh.map(([, body]) => body)) : null
  for (const [index, [shape]] of fresh.entries()) known.set(shape, looked!.then(mistakes => mistakes[index]!))
  return (await Promise.all([...shapes.keys()].map(shape => known.get(shape)!))).flat()
}

/** Returns the mistakes of each body. */
async function mistakesOf(file: string, bodies: readonly Body[]): Promise<string[][]> {
  const lines = bodies.map(({ name, value }, index) => (
    `const body${index}: Bodies[${JSON.stringify(name)}] = ${JSON.stringify(value)}`
  ))
  const errors = await compile([...lines, `import type { Bodies } from ${JSON.stringify(resolve(file))}`].join('\n'))
  const [stray] = errors.filter(([line]) => line < 1 || line > bodies.length)
  if (stray) throw new Error(`${file}: ${stray[1]}`)
  return bodies.map(({ name }, index) => errors.filter(([line]) => line === index + 1).map(
    ([, error]) => `${name}: ${error}`,
  ))
}

/** Returns the errors of a module, with their lines. */
async function compile(source: string): Promise<[line: number, error: string][]> {
  const folder = await mkdtemp(join(tmpdir(), 'bodies-'))
  try {
    await Promise.all([
      symlink(resolve('node_modules'), join(folder, 'node_modules')),
      writeFile(join(folder, 'bodies.ts'), source),
    ])
    const output = await new Promise<string>((settle, fail) => {
      execFile(process.execPath, [TSC, ...FLAGS, 'bodies.ts'], { cwd: folder, maxBuffer: 1 << 24 }, (error, out) => {
        if (error && !out) fail(error)
        else settle(out)
      })
    })
    // Details of an error are indented below it.
    return output.split(/\n(?! )/).filter(Boolean).map((error): [number, string] => {
      const [, line = '0', text = error] = /^bodies\.ts\((\d+),\d+\): error [^:]+: ([^]*)$/.exec(error) ?? []
      return [Number(line), text]
    })
  }
  finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the value without users' texts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map(each => JSON.stringify(shapeOf(each))))]
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
  }
  return typeof value === 'string' && /^[a-z_]+$/.test(value) ? value : typeof value
}
