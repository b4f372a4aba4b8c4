import { engines } from '../package.json'

/** What is loaded of the bundle before anything else, so in words that an old Node understands. */
const entry = (needed: string, [major, minor] = needed.split('.')) => `
// Imports would run first, and may fail on an old Node in ways that nobody gets.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error('\\nThis service needs Node ${needed} or newer, and this is Node ' + process.versions.node +
    '. Install a newer one: https://nodejs.org/download\\n')
  process.exit(1)
}
// What V8 compiled is kept beside it, where this user may write, for the starts that follow.
process.getBuiltinModule('node:module').enableCompileCache(import.meta.dirname + '/cache')
import('./server.mjs')
`

interface Chunk { type: string, isEntry?: boolean, facadeModuleId?: string | null, code?: string }

/**
 * Has the built server refuse to start on a Node older than `engines` in package.json says, instead of failing on the
 * way, and keep what V8 compiled: docs/performance.md says what that is worth. A Node of another version or user has a
 * part of the folder for itself, and who may not write there starts without.
 */
export function checkedNode() {
  return {
    name: 'checked-node',
    generateBundle(this: { emitFile: (file: object) => void }, _options: unknown, bundle: Record<string, Chunk>) {
      const main = bundle['index.mjs']
      // Elsewhere the host imports the entry, and chooses the Node.
      if (!main?.isEntry || !main.facadeModuleId?.includes('node-server')) return
      this.emitFile({ type: 'asset', fileName: 'server.mjs', source: main.code })
      main.code = entry(/\d+\.\d+/.exec(engines.node)![0])
    },
  }
}
