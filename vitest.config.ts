import { defineConfig } from 'vitest/config'
import { mjmlPlugin } from './server/adapters/email/mjml-plugin.ts'

export default defineConfig({
  plugins: [mjmlPlugin()],
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // Most of an end-to-end test is waiting for timers of the service, not computing.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
