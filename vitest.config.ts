import { defineConfig } from 'vitest/config'
import { mjmlPlugin } from './server/adapters/email/mjml-plugin.ts'

/** Tests about time, which a busy neighbour would falsify. */
const ALONE = ['abuse', 'burst', 'expiry', 'intake', 'liveness', 'outage', 'reliability', 'scaling', 'soak', 'thaw', 'two-rooms', 'webhooks'].map(name => `test/e2e/${name}.test.ts`)

export default defineConfig({
  plugins: [mjmlPlugin()],
  test: {
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      // Most of an end-to-end test is waiting, not computing.
      { extends: true, test: { name: 'side by side', include: ['test/**/*.test.ts'], exclude: ALONE, maxWorkers: 3, sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
