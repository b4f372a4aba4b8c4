import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The long run of test/e2e/soak.test.ts: `npm run soak`, SOAK_MINUTES minutes. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/e2e/soak.test.ts'],
    env: { SOAK_MINUTES: process.env.SOAK_MINUTES ?? '10' },
    environment: 'node',
  },
})
