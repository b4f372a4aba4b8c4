import { engines } from '../package.json'

/** Entry of the bundle, loaded before anything else; its syntax must parse on an old Node. */
const renderEntry = (requiredVersion: string, [major, minor] = requiredVersion.split('.')) => `
// Static imports would run first, and fail on an old Node with an obscure error.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error('\\nThis service needs Node ${requiredVersion} or newer, and this is Node ' + process.versions.node +
    '. Install a newer one: https://nodejs.org/download\\n')
  process.exit(1)
}
// Keep V8 code cache beside it, if this user may write there, for later starts.
process.getBuiltinModule('node:module').enableCompileCache(import.meta.dirname + '/cache')
import('./server.mjs')
`

interface Chunk { type: string, isEntry?: boolean, facadeModuleId?: string | null, code?: string }

/**
 * Makes the built server refuse to start on a Node older than `engines` in package.json, instead of failing later. Also
 * keeps V8's compiled code: docs/performance.md shows the gain. Each Node version and user has a separate part of the
 * folder; users without write access there start without the kept code.
 */
export function checkedNode() {
  return {
    name: 'checked-node',
    generateBundle(this: { emitFile: (file: object) => void }, _options: unknown, bundle: Record<string, Chunk>) {
      const main = bundle['index.mjs']
      // On other presets the host imports the entry and chooses the Node.
      if (!main?.isEntry || !main.facadeModuleId?.includes('node-server')) return
      this.emitFile({ type: 'asset', fileName: 'server.mjs', source: main.code })
      main.code = renderEntry(/\d+\.\d+/.exec(engines.node)![0])
    },
  }
}
