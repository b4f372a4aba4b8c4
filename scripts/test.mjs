// Everything that has to be true before a change lands: lint, types, dead code, build, then all tests.
// `npm test -- test/unit` runs the checks and only those tests.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { findTools } from './tools.mjs'

const REPORT = '.tmp/vitest.json'
const tools = findTools()
const env = { ...process.env, CHROMIUM: tools.chromium, VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true' }

let passed = 0
let failed = 0

await run('nuxt', ['prepare'])
await check('lint', 'eslint', ['.', '--max-warnings', '0'])
await check('types', 'nuxt', ['typecheck'])
await check('dead code', 'knip', [])
if (await check('build', 'nuxt', ['build'], { NODE_ENV: 'production' })) {
  await runTests(process.argv.slice(2))
  // Its figures are for reading; here it only has to run.
  if (process.argv.length === 2) await check('bench', process.execPath, ['test/bench/main.ts', '--quick'])
}

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

async function runTests(filters) {
  mkdirSync('.tmp', { recursive: true })
  rmSync(REPORT, { force: true })
  const code = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`, ...filters])
  const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(readFileSync(REPORT, 'utf8'))
  passed += numPassedTests
  // A file that does not load has no failed test, and a skipped test proves nothing: both count.
  const unproven = filters.length > 0 ? numFailedTests : numTotalTests - numPassedTests
  failed += Math.max(unproven, code === 0 ? 0 : 1)
}

async function check(name, command, args, extra) {
  console.log(`\n── ${name}`)
  const ok = await run(command, args, extra) === 0
  if (ok) passed++
  else failed++
  return ok
}

function run(command, args, extra = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...env, ...extra } })
    child.on('error', () => resolve(1))
    child.on('exit', code => resolve(code ?? 1))
  })
}
