import { isBuiltin } from 'node:module'
import { checkedNode } from './scripts/checked-node-plugin'
import { compact } from './scripts/compact-plugin'
import { withoutDiscordJs } from './server/platforms/discord/discord-js-plugin'
import { mjmlPlugin } from './server/adapters/email/mjml-plugin'

// The development server answers under the name of a tunnel too (docs/local-development.md), and under no other.
const site = process.env.NUXT_PUBLIC_SITE_URL ?? ''
const tunnel = URL.canParse(site) ? [new URL(site).hostname] : []

// https://nuxt.com/docs/api/configuration/nuxt-config
export default defineNuxtConfig({
  modules: ['@nuxt/ui', '@nuxt/eslint'],
  ssr: false,
  devtools: { enabled: false },
  app: { head: { title: 'Form triage', htmlAttrs: { lang: 'en' }, meta: [{ name: 'robots', content: 'noindex' }] } },
  css: ['~/assets/main.css'],
  // Nothing is fetched while building or showing a page: fonts and icons come with the packages.
  ui: { fonts: false },
  srcDir: '.',
  serverDir: 'server',
  // Pages are rendered in the browser: Vue's template compiler stays out of the server.
  experimental: { externalVue: false },
  compatibilityDate: '2026-11-01',
  nitro: {
    // Spread, because Nuxt's types do not know the options of Nitro's presets and bundling.
    ...{
      // An answer may quote what somebody sent; no browser is to take it for a page or a script.
      routeRules: { '/**': { headers: { 'X-Content-Type-Options': 'nosniff' } } as object },
      // The gateway listens for 10 minutes: https://vercel.com/docs/functions/limitations
      vercel: { functions: { maxDuration: 660 } },
      // Everything into few files: a third of a cold start is spent on finding and reading packages. What cannot be
      // resolved (optional native helpers) stays outside and is missed only where it is used.
      externals: { inline: [() => true] },
      // CommonJS as node runs it: circular requires, and built-in modules as objects with what they inherit.
      // Within a `try` too: left as it is there, a `require` would fail in a module, and quietly.
      commonJS: { strictRequires: true, ignoreTryCatch: (id: string) => !isBuiltin(id), requireReturnsDefault: (id: string) => isBuiltin(id) || id.includes('unenv') ? 'preferred' : 'auto' },
      // Nitro drops imports that bring no name; this one of Teams' SDK adds to Reflect.
      moduleSideEffects: ['reflect-metadata'],
      sourceMap: false,
    },
    rollupConfig: { plugins: [mjmlPlugin(), withoutDiscordJs(), compact(), checkedNode()] },
    typescript: {
      tsConfig: { include: ['../test/**/*', '../vitest.config.ts', '../scripts/**/*'] },
    },
  },
  vite: { server: { allowedHosts: tunnel } },
  typescript: {
    strict: true,
    tsConfig: { exclude: ['../test/**', '../server/**', '../scripts/**'] },
  },
  telemetry: false,
  eslint: { config: { stylistic: true } },
  icon: { provider: 'none', clientBundle: { scan: { globInclude: ['{pages,components,layouts,composables}/**/*.{vue,ts}', 'app.vue', 'error.vue'] } }, serverBundle: false },
})
