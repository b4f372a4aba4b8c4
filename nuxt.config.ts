import { isBuiltin } from 'node:module'
import { checkedNode } from './build/checked-node'
import { lean, leanPlugins, withoutInject } from './build/lean'
import { mjmlPlugin } from './build/mjml'
import { proxiedSocket } from './build/proxied-socket'
import { startOnce } from './build/start-once'
import { componentsOf } from './build/used-components'

// The development server answers under the name of a tunnel too (docs/local-development.md), and under no other.
const site = process.env.NUXT_PUBLIC_SITE_URL ?? ''
const tunnel = URL.canParse(site) ? [new URL(site).hostname] : []

// https://nuxt.com/docs/api/configuration/nuxt-config
export default defineNuxtConfig({
  modules: ['@nuxt/ui', '@nuxt/eslint', './build/pages'],
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
  // Nothing is fetched while building or showing a page: fonts and icons come with the packages. Styles come of the
  // colors and components that are used; by itself the module looks for those in app/ only.
  ui: {
    fonts: false,
    theme: { colors: ['primary', 'success', 'warning', 'error'] },
    experimental: { componentDetection: componentsOf('pages') },
  },
  // Everything else that the pages are made of is in app/.
  dir: { pages: '../pages' },
  experimental: {
    // No part of a page comes from the server.
    componentIslands: false,
    // Where somebody points to is loaded, not all that they see: on a slow line that would come before the page itself.
    defaults: { nuxtLink: { prefetchOn: { visibility: false, interaction: true } } },
    // For ./build/pages.
    extraPageMetaExtractionKeys: ['layout', 'asks'],
  },
  compatibilityDate: '2026-11-01',
  nitro: {
    // Spread, because Nuxt's types do not know the options of Nitro's presets and bundling.
    ...{
      errorHandler: './server/error',
      // An answer may quote what somebody sent; no browser is to take it for a page or a script.
      routeRules: { '/**': { headers: { 'X-Content-Type-Options': 'nosniff' } } as object },
      // The gateway listens for 10 minutes: https://vercel.com/docs/functions/limitations
      vercel: { functions: { maxDuration: 660 } },
      // CommonJS as node runs it: circular requires, and as a function what Nitro puts in the place of `debug`.
      commonJS: {
        strictRequires: true,
        esmExternals: false,
        requireReturnsDefault: (id: string) => id.includes('unenv') ? 'preferred' : 'auto',
        // Node's own modules are there: prom-client tries to require one, for the lag of the event loop.
        ignoreTryCatch: (id: string) => !isBuiltin(id),
      },
      // Nitro drops imports that bring no name; this one of Teams' SDK adds to Reflect.
      moduleSideEffects: ['reflect-metadata'],
      // Made at build time: the list's scripts are 3.5 times as long without.
      compressPublicAssets: { gzip: true, brotli: true },
      // The oldest Node that starts it (package.json); by itself Nitro writes for ES2019, with private fields in maps.
      esbuild: { options: { target: 'node22' } },
      // Pages know the answers of the API by shared/types. By itself Nitro has their check read the server too.
      hooks: {
        'types:extend': (types: { routes: object }) => { types.routes = {} },
        'rollup:before': withoutInject,
      },
      ...lean,
    },
    rollupConfig: { plugins: [mjmlPlugin(), proxiedSocket(), ...leanPlugins(), checkedNode()] },
    typescript: {
      tsConfig: { include: ['../test/**/*', '../vitest.config.ts', '../build/**/*'] },
    },
  },
  vite: {
    server: { allowedHosts: tunnel },
    vue: { features: { optionsAPI: false } },
    $client: { build: { rolldownOptions: { output: { codeSplitting: { groups: [
      // Few files: without HTTP/2 a browser loads six at a time, and each has to wait for its answer.
      { name: 'entry', tags: ['$initial'], priority: 3 },
      { name: 'list', test: /\/(pages\/index|layouts\/ops)\.vue/, priority: 2 },
      // What app/app.vue loads early, with what it needs: nothing else is to come with it.
      { name: 'early', test: /\/components\/(sign-in\/|Toaster\.vue)/, priority: 2 },
      { name: 'shared', minShareCount: 2, priority: 1 },
    ] } } } } },
  },
  typescript: {
    strict: true,
    tsConfig: { include: ['../pages/**/*'], exclude: ['../test/**', '../server/**', '../build/**'] },
  },
  telemetry: false,
  hooks: {
    'nitro:init': (nitro) => {
      // Not in place of what a preset does then.
      nitro.hooks.hook('compiled', startOnce)
      // It compresses what it serves (https://vercel.com/docs/how-vercel-cdn-works/compression): a tenth of the build.
      if (nitro.options.preset === 'vercel') Object.assign(nitro.options, { compressPublicAssets: false })
    },
  },
  eslint: { config: { stylistic: true } },
  icon: {
    provider: 'none', serverBundle: false,
    // By itself the module has every icon look through the names of two hundred collections, sorted anew each time.
    collections: ['lucide'],
    // The set-up page shows the icons that the platforms name.
    clientBundle: { scan: { globInclude: ['{app,pages}/**/*.{vue,ts}', 'server/platforms/*/definition.ts'] } },
  },
})
