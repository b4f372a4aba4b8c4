import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { localesPlugin } from '../../build/locales.ts'
import { mjmlPlugin } from '../../build/mjml.ts'

/** Config for the long runs of two tests: `npm run soak`, with SOAK_MINUTES minutes and UPLOADS files of 10 MB. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  plugins: [mjmlPlugin(), localesPlugin()],
  test: {
    include: ['test/e2e/{soak,files}.test.ts'],
    env: { SOAK_MINUTES: process.env.SOAK_MINUTES ?? '10', UPLOADS: process.env.UPLOADS ?? '200' },
    environment: 'node',
    // Time limits for hangs, ms
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
  },
})
