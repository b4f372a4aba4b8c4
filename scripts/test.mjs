// Everything that has to be true before a change lands: lint, types, dead code, build, then all tests.
// `npm test -- test/unit` runs the checks and only those tests.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { findTools } from './tools.mjs'

const REPORT = '.tmp/vitest.json'
const filters = process.argv.slice(2)
const tools = findTools()
const env = { ...process.env, CHROMIUM: tools.chromium, VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true' }
/** The build and the checks need much memory for a short time, of which V8 would spend a fifth on clearing it up. */
const tool = { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=128` }
/** The server is started by the hundred; this way it is compiled once. */
const compiled = { NODE_COMPILE_CACHE: resolve('.tmp/compile-cache') }
/** Behind whatever else wants to compute: tests promise times. */
const BESIDE = { env: tool, priority: 10 }

let passed = 0
let failed = 0

await run('nuxt', ['prepare'])
const built = check('build', 'nuxt', ['build'], { env: { ...tool, NODE_ENV: 'production' } })
await Promise.all([runTests(), runChecks()])

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

async function runTests() {
  if (!await built) return
  mkdirSync('.tmp', { recursive: true })
  for (const left of [REPORT, compiled.NODE_COMPILE_CACHE]) rmSync(left, { recursive: true, force: true })
  await run(process.execPath, ['scripts/fill-compile-cache.mjs'], { env: compiled })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]
  const code = await run('vitest', ['run', ...reporters, ...filters], { env: compiled })
  const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(readFileSync(REPORT, 'utf8'))
  passed += numPassedTests
  // A file that does not load has no failed test, and a skipped test proves nothing: both count.
  const unproven = filters.length > 0 ? numFailedTests : numTotalTests - numPassedTests
  failed += Math.max(unproven, code === 0 ? 0 : 1)
}

/** One after the other, in the time that the build and the tests spend waiting. */
async function runChecks() {
  // As `nuxt typecheck` has it, which would prepare once more.
  await check('types', 'vue-tsc', ['-b', '--noEmit'], BESIDE)
  await check('lint', 'eslint', ['.', '--max-warnings', '0'], BESIDE)
  await check('dead code', 'knip', [], BESIDE)
  // Its figures are for reading; here it only has to run.
  if (!await built || filters.length > 0) return
  await check('bench', process.execPath, ['test/bench/main.ts', '--quick'], { priority: 10 })
}

/** Says what came of it once it is done, in one piece. */
async function check(name, command, args, extra = {}) {
  let output = ''
  const code = await run(command, args, { ...extra, onOutput: text => (output += text) })
  console.log(`\n── ${name}: ${code === 0 ? 'passed' : 'FAILED'}\n${output}`)
  if (code === 0) passed++
  else failed++
  return code === 0
}

function run(command, args, { env: more, priority, onOutput } = {}) {
  return new Promise((resolve) => {
    const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
    const child = spawn(command, args, { stdio, env: { ...env, ...more } })
    child.on('error', () => resolve(1))
    child.on('close', code => resolve(code ?? 1))
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
    if (priority && child.pid) setPriority(child.pid, priority)
  })
}
