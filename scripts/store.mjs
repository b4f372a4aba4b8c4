// Copies everything that the service keeps from one store to another, such as from a file of SQLite to Redis.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const USAGE = 'npm run store -- copy <from> <to>, such as: npm run store -- copy sqlite:/data/forms.db redis://redis:6379'
const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Rows between two reports */
const REPORT_ROWS = 100_000

const [command, from, to, ...others] = process.argv.slice(2)
if (command !== 'copy' || !from || !to || others.length > 0) fail(USAGE)
const { copyStore } = await loadServerCode()
let reported = 0
const counts = await copyStore(from, to, (count) => {
  if (count - reported < REPORT_ROWS) return
  reported = count
  console.log(`${count.toLocaleString('en')} rows …`)
}).catch(error => fail(error.message || String(error)))
for (const [table, count] of Object.entries(counts)) console.log(`${count.toLocaleString('en').padStart(10)} ${table}`)
console.log('Copied and counted. Set STORE_URL to the new store, and start the service.')

/** Loads the server's own code, from a folder that any user may write. */
async function loadServerCode() {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  const outfile = join(folder, 'copy.cjs')
  try {
    await build({
      entryPoints: [`${root}/scripts/store/copy.ts`], outfile, bundle: true, platform: 'node', format: 'cjs',
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  }
  finally {
    rmSync(folder, { recursive: true })
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
