// Loads all of the built server, part by part: what no test starts must load too. What V8 compiled is left in
// NODE_COMPILE_CACHE for the servers that tests start: most of them are killed and could not leave it there themselves.
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'

Object.assign(process.env, { NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', DATA_DIR: tmpdir() })
for (const file of globSync('.output/server/{index,chunks/**/*}.mjs')) {
  await import(resolve(file)).catch((error) => {
    // The server logs what nobody catches, and goes on.
    console.error(`${file} does not load:`, error)
    process.exit(1)
  })
}
process.exit()
