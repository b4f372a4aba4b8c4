// Runs everything that must pass before a change lands: types, lint, dead code, build, then all tests. `npm test --
// test/unit` runs the checks and only those tests.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { relative, resolve } from 'node:path'
import { findTools } from './tools.mjs'

const isQuick = process.argv.includes('--quick')
const filters = process.argv.slice(2).filter(argument => argument !== '--quick')
const tools = findTools()
const env = { ...process.env, CHROMIUM: tools['chromium-headless-shell'], VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true' }
/** Build and checks allocate much memory; by default V8 would spend a fifth of their time on garbage collection. */
const toolEnv = { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=128` }
/** Cache of compiled code, because tests start the server hundreds of times */
const cacheEnv = { NODE_COMPILE_CACHE: resolve('.tmp/compile-cache') }
const isWhole = filters.length === 0
/** Tests that need no build: of the server's code, and of the pages */
const UNITS = ['--project=unit', '--project=app']
/** Folder for the request bodies that all tests send to vendors; they are checked together at the end */
const BODIES = resolve('.tmp/bodies')
/** Priority (nice value) below all other work, which includes tests that check times */
const LOW_PRIORITY = 10
/** Time limit of a check, ms: the longest needs 40 s alone, and beside tests it gets a tenth of the processor */
const CHECK_TIMEOUT_MS = 1_200_000

let passedCount = 0
let failedCount = 0
let testCount = 0
/** Printed again at the end, because often only the end of a run's output is kept */
const failures = []

mkdirSync('.tmp', { recursive: true })
for (const folder of [cacheEnv.NODE_COMPILE_CACHE, BODIES]) rmSync(folder, { recursive: true, force: true })
mkdirSync(BODIES)
if (isQuick) await runQuickly()
else await runAll()

for (const failure of failures) console.log(`\n── failed: ${failure}`)
console.log(`\n${passedCount} passed, ${failedCount} failed`)
if (isQuick) console.log(
  'Left out: the build, test/e2e, and the slow files that vitest.config.ts lists. `npm test` runs everything.',
)
process.exitCode = failedCount === 0 && testCount > 0 ? 0 : 1

async function runAll() {
  // Resolves once the build has rewritten the types and the lint settings.
  const preparation = Promise.withResolvers()
  const build = check('build', 'nuxt', ['build'], {
    env: { ...toolEnv, NODE_ENV: 'production' },
    onOutput: text => text.includes('Building client') && preparation.resolve(),
  })
  build.then(preparation.resolve)
  await preparation.promise
  // Checks wait for the build, which rewrites the types: a check could read a file while it is empty.
  await Promise.all([runTests(build), build.then(runChecks)])
}

async function runQuickly() {
  if (!await check('types of Nuxt', 'nuxt', ['prepare'], { env: toolEnv })) return
  await Promise.all([runVitest('unit', UNITS, { extraEnv: { QUICK: '1' } }), runChecks()])
}

async function runTests(build) {
  // Unit tests need no build: they use the processor time that the build and the waiting tests leave free.
  const unitTests = runVitest('unit', UNITS, { priority: LOW_PRIORITY })
  if (!await build) return unitTests
  await check('parts', process.execPath, ['scripts/fill-compile-cache.mjs'], { env: cacheEnv })
  for (const name of ['timed', 'alone']) await runVitest(name, [`--project=${name}`])
  await unitTests
  await Promise.all(['waiting', 'e2e'].map(name => runVitest(name, [`--project=${name}`])))
  if (isWhole) await check('what vendors were sent', process.execPath, ['test/support/check-bodies.ts', BODIES])
}

async function runVitest(name, args, { priority, extraEnv } = {}) {
  const report = `.tmp/vitest-${name}.json`
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const command = ['run', '--passWithNoTests', ...args, ...reporters, ...filters]
  const bodiesEnv = isWhole && name !== 'unit' && { BODIES }
  const code = await run('vitest', command, { env: { ...cacheEnv, ...bodiesEnv, ...extraEnv }, priority })
  const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  testCount += numTotalTests
  passedCount += numPassedTests
  // A file that fails to load has no failed test, and a skipped test proves nothing: count both as failed.
  const unprovenCount = isWhole ? numTotalTests - numPassedTests : numFailedTests
  failedCount += Math.max(unprovenCount, code === 0 ? 0 : 1)
  failures.push(...testResults.flatMap(describeFailures))
}

/** Returns the failures of a file. A file that could not be loaded has its own message. */
function describeFailures({ name, message, assertionResults }) {
  const tests = assertionResults.filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`)
  return [...message ? [message] : [], ...tests].map(text => `${relative('.', name)}: ${text.slice(0, 2_000)}`)
}

/** Runs the checks one after another, in parallel with the tests. */
async function runChecks() {
  const extra = { env: toolEnv, priority: LOW_PRIORITY }
  await check('types', process.execPath, ['scripts/types.mjs'], extra)
  await check('lint', 'eslint', ['.', '--max-warnings', '0'], extra)
  await check('dead code', 'knip', [], extra)
}

/** Runs a check and prints its result and output in one piece at the end. */
async function check(name, command, args, { onOutput = () => {}, ...extra } = {}) {
  let output = ''
  const code = await run(command, args, { ...extra, timeout: CHECK_TIMEOUT_MS, onOutput: (text) => {
    output += text
    onOutput(text)
  } })
  console.log(`\n── ${name}: ${code === 0 ? 'passed' : 'FAILED'}\n${output}`)
  if (code === 0) passedCount++
  else {
    failedCount++
    failures.push(`${name}\n${output.slice(-2_000)}`)
  }
  return code === 0
}

function run(command, args, { env: extraEnv, priority, timeout, onOutput } = {}) {
  return new Promise((resolve) => {
    const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
    const child = spawn(command, args, { stdio, env: { ...env, ...extraEnv }, timeout, killSignal: 'SIGKILL' })
    child.on('error', () => resolve(1))
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
    child.on('close', (code, signal) => {
      if (signal) onOutput?.(`Stopped by ${signal}.\n`)
      resolve(code ?? 1)
    })
    if (priority && child.pid) setPriority(child.pid, priority)
  })
}
