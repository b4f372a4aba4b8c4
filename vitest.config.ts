import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { mjmlPlugin } from './server/adapters/email/mjml-plugin.ts'

/** Tests about time, which a busy neighbour would falsify. */
const ALONE = ['abuse', 'burst', 'expiry', 'intake', 'outage', 'reliability', 'scaling', 'soak', 'thaw', 'two-rooms', 'webhooks'].map(name => `test/e2e/${name}.test.ts`)

/** The longest, which would otherwise be waited for when everything else is done. */
const FIRST = ['discord-gateway', 'gateway-servers', 'crash', 'ops-status', 'ops-list', 'gateway-route'].map(name => `/test/e2e/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => (FIRST.findIndex(path => moduleId.endsWith(path)) + FIRST.length + 1) % (FIRST.length + 1)
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  plugins: [mjmlPlugin()],
  test: {
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Most of an end-to-end test is waiting, not computing.
      { extends: true, test: { name: 'side by side', include: ['test/**/*.test.ts'], exclude: ALONE, maxWorkers: 3, sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
