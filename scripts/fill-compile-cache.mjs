// Loads every file of the built server, so that parts that no test starts are checked, too. Fills NODE_COMPILE_CACHE
// with V8's compiled code for the servers of the tests: most of them are killed before they can save it.
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'

Object.assign(process.env, { NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', DATA_DIR: tmpdir() })
for (const file of globSync('.output/server/{index,chunks/**/*}.mjs')) {
  await import(resolve(file)).catch((error) => {
    // The server would only log the unhandled error and continue.
    console.error(`${file} does not load:`, error)
    process.exit(1)
  })
}
process.exit()
