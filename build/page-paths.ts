import { addServerTemplate, defineNuxtModule } from 'nuxt/kit'

/** Tells the server which pages there are, as `#page-paths`: every other address gets the same shell, and is 404. */
export default defineNuxtModule({
  meta: { name: 'page-paths' },
  setup(_, nuxt) {
    let paths: string[] = []
    nuxt.hook('pages:resolved', (pages) => { paths = pages.map(({ path }) => path) })
    addServerTemplate({ filename: '#page-paths', getContents: () => `export default ${JSON.stringify(paths)}` })
  },
})
