import { isBuiltin } from 'node:module'
import { checkedNode } from './build/checked-node'
import { lean, leanPlugins } from './build/lean'
import { mjmlPlugin } from './build/mjml'

// The development server answers under the name of a tunnel too (docs/local-development.md), and under no other.
const site = process.env.NUXT_PUBLIC_SITE_URL ?? ''
const tunnel = URL.canParse(site) ? [new URL(site).hostname] : []

// https://nuxt.com/docs/api/configuration/nuxt-config
export default defineNuxtConfig({
  modules: ['@nuxt/ui', '@nuxt/eslint', './build/page-paths'],
  ssr: false,
  devtools: { enabled: false },
  app: { head: { title: 'Form triage', htmlAttrs: { lang: 'en' }, meta: [{ name: 'robots', content: 'noindex' }] } },
  css: ['~/assets/main.css'],
  // Nothing is fetched while building or showing a page: fonts and icons come with the packages.
  ui: { fonts: false },
  // Everything else that the pages are made of is in app/.
  dir: { pages: '../pages' },
  compatibilityDate: '2026-11-01',
  nitro: {
    // Spread, because Nuxt's types do not know the options of Nitro's presets and bundling.
    ...{
      // An answer may quote what somebody sent; no browser is to take it for a page or a script.
      routeRules: { '/**': { headers: { 'X-Content-Type-Options': 'nosniff' } } as object },
      // The gateway listens for 10 minutes: https://vercel.com/docs/functions/limitations
      vercel: { functions: { maxDuration: 660 } },
      // CommonJS as node runs it: circular requires, and built-in modules as objects with what they inherit. Within a
      // `try` too: left as it is there, a `require` would fail in a module, and quietly. The server needs it to start.
      commonJS: {
        strictRequires: true,
        ignoreTryCatch: (id: string) => !isBuiltin(id),
        requireReturnsDefault: (id: string) => isBuiltin(id) || id.includes('unenv') ? 'preferred' : 'auto',
      },
      // Nitro drops imports that bring no name; this one of Teams' SDK adds to Reflect.
      moduleSideEffects: ['reflect-metadata'],
      ...lean,
    },
    rollupConfig: { plugins: [mjmlPlugin(), ...leanPlugins(), checkedNode()] },
    typescript: {
      tsConfig: { include: ['../test/**/*', '../vitest.config.ts', '../build/**/*'] },
    },
  },
  vite: { server: { allowedHosts: tunnel } },
  typescript: {
    strict: true,
    tsConfig: { include: ['../pages/**/*'], exclude: ['../test/**', '../server/**', '../build/**'] },
  },
  telemetry: false,
  eslint: { config: { stylistic: true } },
  icon: {
    provider: 'none', serverBundle: false,
    // The set-up page shows the icons that the platforms name.
    clientBundle: { scan: { globInclude: ['{app,pages}/**/*.{vue,ts}', 'server/platforms/*/definition.ts'] } },
  },
})
