import { isBuiltin } from 'node:module'
import { checkedNode } from './build/checked-node'
import { lean, leanPlugins, withoutInject } from './build/lean'
import { localesPlugin } from './build/locales'
import { mjmlPlugin } from './build/mjml'
import { proxiedSocket } from './build/proxied-socket'
import { startOnce } from './build/start-once'
import { componentsOf } from './build/used-components'

// The development server also answers under the host name of a tunnel (docs/local-development.md), but under no other.
const site = process.env.NUXT_PUBLIC_SITE_URL ?? ''
const tunnel = URL.canParse(site) ? [new URL(site).hostname] : []

// https://nuxt.com/docs/api/configuration/nuxt-config
export default defineNuxtConfig({
  modules: ['@nuxt/ui', '@nuxt/eslint', './build/pages', './build/altcha'],
  ssr: false,
  imports: { dirs: ['composables/**'] },
  devtools: { enabled: false },
  app: { head: {
    title: 'Form triage', htmlAttrs: { lang: 'en' }, meta: [{ name: 'robots', content: 'noindex' }],
    link: [
      { rel: 'icon', sizes: '32x32', href: '/favicon.ico' },
      { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' },
    ],
  } },
  css: ['~/assets/main.css'],
  // Nothing is downloaded while building or showing a page: fonts and icons come with the packages. Styles depend on
  // the colors and components in use; by default the module looks for those in app/ only.
  ui: {
    fonts: false,
    theme: { colors: ['primary', 'success', 'warning', 'error'] },
    experimental: { componentDetection: componentsOf('pages') },
  },
  // All other code of the pages is in app/.
  dir: { pages: '../pages' },
  experimental: {
    // The server renders no part of a page.
    componentIslands: false,
    // Prefetch a link on hover or focus, not when visible: on a slow line that would delay the page itself.
    defaults: { nuxtLink: { prefetchOn: { visibility: false, interaction: true } } },
    // Read by ./build/pages
    extraPageMetaExtractionKeys: ['layout', 'asks'],
  },
  compatibilityDate: '2026-11-01',
  nitro: {
    // Spread, because Nuxt's types lack the options of Nitro's presets and bundling.
    ...{
      errorHandler: './server/error',
      // A response may quote form data; browsers must not take it for a page or a script.
      routeRules: { '/**': { headers: { 'X-Content-Type-Options': 'nosniff' } } as object },
      // The gateway listens for 10 minutes: https://vercel.com/docs/functions/limitations
      vercel: { functions: { maxDuration: 660 } },
      // CommonJS as in node: circular requires work, and Nitro's stand-in for `debug` is a function.
      commonJS: {
        strictRequires: true,
        esmExternals: false,
        requireReturnsDefault: (id: string) => id.includes('unenv') ? 'preferred' : 'auto',
        // Node's own modules always exist: prom-client tries to require one, to measure the event loop lag.
        ignoreTryCatch: (id: string) => !isBuiltin(id),
      },
      // Nitro drops imports without names; this one, in Teams' SDK, extends Reflect.
      moduleSideEffects: ['reflect-metadata'],
      // Compress at build time: uncompressed, the list's scripts are 3.5 times as long.
      compressPublicAssets: { gzip: true, brotli: true },
      // The oldest supported Node (package.json); Nitro's default, ES2019, turns private fields into maps.
      esbuild: { options: { target: 'node22' } },
      // Pages take the API's types from shared/types. By default Nitro makes their check read the server too.
      hooks: {
        'types:extend': (types: { routes: object }) => { types.routes = {} },
        'rollup:before': withoutInject,
      },
      ...lean,
    },
    rollupConfig: { plugins: [mjmlPlugin(), localesPlugin(), proxiedSocket(), ...leanPlugins(), checkedNode()] },
    typescript: {
      tsConfig: {
        include: ['../test/**/*', '../vitest.config.ts', '../build/**/*', '../scripts/**/*.ts'],
        exclude: ['../test/support/app/**', '../test/unit/app/**'],
      },
    },
  },
  vite: {
    server: { allowedHosts: tunnel },
    vue: { features: { optionsAPI: false } },
    $client: { build: { rolldownOptions: { output: { codeSplitting: { groups: [
      // Few files: without HTTP/2 a browser loads only six at a time.
      { name: 'entry', tags: ['$initial'], priority: 3 },
      { name: 'list', test: /\/(pages\/index|layouts\/ops)\.vue/, priority: 2 },
      // Code that app/app.vue loads early, with its dependencies and nothing else
      { name: 'early', test: /\/components\/(sign-in\/|Toaster\.vue)/, priority: 2 },
      { name: 'shared', minShareCount: 2, priority: 1 },
    ] } } } } },
  },
  typescript: {
    strict: true,
    tsConfig: {
      include: ['../pages/**/*', '../test/support/app/**/*', '../test/unit/app/**/*'],
      exclude: ['../server/**', '../build/**'],
    },
  },
  telemetry: false,
  hooks: {
    'nitro:init': (nitro) => {
      // A hook, because an option would replace what a preset does at that point.
      nitro.hooks.hook('compiled', startOnce)
      // Vercel compresses (https://vercel.com/docs/how-vercel-cdn-works/compression): saves a tenth of the build.
      if (nitro.options.preset === 'vercel') Object.assign(nitro.options, { compressPublicAssets: false })
    },
  },
  eslint: { config: { stylistic: true } },
  icon: {
    provider: 'none', serverBundle: false,
    // Without this list each icon is looked up in the names of two hundred collections, sorted anew each time.
    collections: ['lucide'],
    // The setup page shows icons that the platforms name.
    clientBundle: { scan: { globInclude: ['{app,pages,shared}/**/*.{vue,ts}', 'server/platforms/*/definition.ts'] } },
  },
})
