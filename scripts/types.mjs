// Checks the types, after `nuxt prepare` or a build. Components need vue-tsc, which does not run on TypeScript 7 yet;
// TypeScript 7 checks everything else in a third of the time.
import { spawnSync } from 'node:child_process'

const tsc = 'node_modules/typescript-native/bin/tsc'
const check = (checker, project) => spawnSync(
  process.execPath, [checker, '-p', `.nuxt/tsconfig.${project}.json`, '--noEmit'], { stdio: 'inherit' },
).status === 0

// Run all checks, even after a failure.
const results = [
  check('node_modules/vue-tsc/bin/vue-tsc.js', 'app'),
  ...['server', 'shared', 'node'].map(project => check(tsc, project)),
]
process.exitCode = results.every(Boolean) ? 0 : 1
