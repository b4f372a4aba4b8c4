import { isBuiltin } from 'node:module'
import { withoutDiscordJs } from './server/adapters/chat/discord/discord-js-plugin'
import { mjmlPlugin } from './server/adapters/email/mjml-plugin'

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
  compatibilityDate: '2026-11-01',
  nitro: {
    // Spread, because Nuxt's types do not know the options of Nitro's presets and bundling.
    ...{
      // The gateway listens for 10 minutes: https://vercel.com/docs/functions/limitations
      vercel: { functions: { maxDuration: 660 } },
      // Everything into few files: a third of a cold start is spent on finding and reading packages. What cannot be
      // resolved (optional native helpers) stays outside and is missed only where it is used.
      externals: { inline: [() => true] },
      // CommonJS as node runs it: circular requires, and built-in modules as objects with what they inherit.
      commonJS: { strictRequires: true, requireReturnsDefault: (id: string) => isBuiltin(id) || id.includes('unenv') ? 'preferred' : 'auto' },
      sourceMap: false,
    },
    rollupConfig: { plugins: [mjmlPlugin(), withoutDiscordJs()] },
    typescript: {
      tsConfig: { include: ['../test/**/*', '../vitest.config.ts', '../scripts/**/*'] },
    },
  },
  typescript: {
    strict: true,
    tsConfig: { exclude: ['../test/**', '../server/**', '../scripts/**'] },
  },
  telemetry: false,
  eslint: { config: { stylistic: true } },
  icon: { provider: 'none', clientBundle: { scan: true }, serverBundle: false },
})
