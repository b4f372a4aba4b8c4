import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { defineNuxtModule } from 'nuxt/kit'

/** Files of the widget: languages that our form pages have, its styles and the worker that solves challenges */
const WIDGET = `
import 'altcha/external'
import 'altcha/i18n/de'
import 'altcha/i18n/es-es'
import 'altcha/i18n/fr-fr'
import styles from 'altcha/altcha.css'

// Browsers start workers only from the origin of the page, or from memory.
const worker = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }))
$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker(worker))
$altcha.defaults.set({ humanInteractionSignature: false })
// Such styles need no permission of the website's policy.
const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
`

/** Serves the widget of ALTCHA, with its styles and worker, as one script: `/altcha/widget.js`. */
export default defineNuxtModule({
  meta: { name: 'altcha' },
  setup(_, nuxt) {
    const dir = `${nuxt.options.buildDir}/altcha`
    nuxt.hook('nitro:config', (config) => {
      const { publicAssets = [] } = config as { publicAssets?: object[] }
      Object.assign(config, { publicAssets: [...publicAssets, { dir, baseURL: '/altcha', maxAge: 3600 }] })
    })
    // Not earlier: a build first empties the folder.
    nuxt.hook('nitro:build:before', async () => {
      const worker = readFileSync(fileURLToPath(import.meta.resolve('altcha/workers/pbkdf2')), 'utf8')
      await build({
        stdin: { contents: WIDGET, resolveDir: nuxt.options.rootDir }, outfile: `${dir}/widget.js`,
        bundle: true, minify: true, format: 'iife', loader: { '.css': 'text' }, legalComments: 'inline',
        define: { WORKER: JSON.stringify(worker) },
      })
    })
  },
})
