// Loads all of the built server, and leaves what V8 compiled in NODE_COMPILE_CACHE for the servers that tests start:
// they could not leave it there themselves, since most of them are killed.
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'

Object.assign(process.env, { NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', DATA_DIR: tmpdir() })
for (const file of globSync('.output/server/{index,chunks/**/*}.mjs')) await import(resolve(file))
process.exit()
