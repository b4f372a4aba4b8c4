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
    nuxt.hook('pages:resolved', (resolved) => {
      pages = resolved.map(({ name, path, file, meta }) => ({
        name: String(name), path, asks: meta?.asks,
        modules: [file!, resolve(nuxt.options.srcDir, 'layouts', `${String(meta?.layout)}.vue`)],
      }))
    })
    addVitePlugin({ name: 'pages', generateBundle: (_, built) => { bundle = built as Bundle } }, { server: false })
    // The shell preloads only what its page needs; other chunks would compete with that.
    nuxt.hook('build:manifest', manifest => Object.values(manifest).forEach(chunk => chunk.dynamicImports = []))
    addServerTemplate({ filename: '#pages', getContents: () => `export default ${JSON.stringify(
      pages.map(({ modules, ...page }) => ({ ...page, scripts: scriptsOf(modules, bundle) })),
    )}` })
  },
})

/** Returns the files that these modules import beyond the entry's, which every page loads. */
function scriptsOf(modules: readonly string[], bundle: Bundle): string[] {
  const chunks = Object.values(bundle)
  const common = reached(chunks.filter(({ isEntry }) => isEntry), bundle)
  const own = chunks.filter(({ moduleIds = [] }) => moduleIds.some(id => modules.includes(id.replace(/\?.*/, ''))))
  return [...reached(own, bundle)].filter(chunk => !common.has(chunk)).map(({ fileName }) => fileName)
}

function reached(from: readonly Chunk[], bundle: Bundle, found = new Set<Chunk>()): Set<Chunk> {
  for (const chunk of from) if (!found.has(chunk)) {
    reached((chunk.imports ?? []).flatMap(name => bundle[name] ?? []), bundle, found.add(chunk))
  }
  return found
}
