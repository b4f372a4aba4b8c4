import { resolve } from 'node:path'
import { addServerTemplate, addVitePlugin, defineNuxtModule } from 'nuxt/kit'

interface Chunk { fileName: string, isEntry?: boolean, imports?: string[], moduleIds?: string[] }
type Bundle = Record<string, Chunk>

/**
 * Gives the server the list of pages and their scripts, as `#pages`. Every other address gets the same shell, with
 * status 404.
 */
export default defineNuxtModule({
  meta: { name: 'pages' },
  setup(_, nuxt) {
    let pages: { name: string, path: string, asks: unknown, modules: string[] }[] = []
    let bundle: Bundle = {}
    nuxt.hook('pages:resolved', (resolvedPages) => {
      pages = resolvedPages.map(({ name, path, file, meta }) => ({
        name: String(name), path, asks: meta?.asks,
        modules: [file!, resolve(nuxt.options.srcDir, 'layouts', `${String(meta?.layout)}.vue`)],
      }))
    })
    addVitePlugin({ name: 'pages', generateBundle: (_, output) => { bundle = output as Bundle } }, { server: false })
    // The shell preloads only what its page needs; preloading other chunks would slow that down.
    nuxt.hook('build:manifest', manifest => Object.values(manifest).forEach(chunk => chunk.dynamicImports = []))
    addServerTemplate({ filename: '#pages', getContents: () => `export default ${JSON.stringify(
      pages.map(({ modules, ...page }) => ({ ...page, scripts: listScripts(modules, bundle) })),
    )}` })
  },
})

/** Returns the files that these modules import, except those of the entry, which every page loads. */
function listScripts(modules: readonly string[], bundle: Bundle): string[] {
  const chunks = Object.values(bundle)
  const commonChunks = collectReachable(chunks.filter(({ isEntry }) => isEntry), bundle)
  const entries = chunks.filter(({ moduleIds = [] }) => moduleIds.some(id => modules.includes(id.replace(/\?.*/, ''))))
  const pageChunks = [...collectReachable(entries, bundle)].filter(chunk => !commonChunks.has(chunk))
  return pageChunks.map(({ fileName }) => fileName)
}

function collectReachable(chunks: readonly Chunk[], bundle: Bundle, reachable = new Set<Chunk>()): Set<Chunk> {
  for (const chunk of chunks) if (!reachable.has(chunk)) {
    collectReachable((chunk.imports ?? []).flatMap(name => bundle[name] ?? []), bundle, reachable.add(chunk))
  }
  return reachable
}
