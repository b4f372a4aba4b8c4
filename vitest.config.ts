import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { mjmlPlugin } from './build/mjml.ts'

const e2e = (names: string[]) => names.map(name => `test/e2e/${name}.test.ts`)

/** What people are promised in seconds: neighbours that compute would falsify it, those that wait do not. */
const TIMED = e2e(['liveness', 'outage', 'reliability', 'slack-unreachable', 'soak', 'two-rooms'])

/** Two replicas post a card every 20 ms, in order: whoever computes beside them decides which of them is first. */
const ALONE = e2e(['burst'])

/** The slowest begin, so that none of them is left over when all others are done. */
const SLOWEST = e2e([
  'vercel', 'gateway-servers', 'discord-gateway', 'crash', 'gateway-route', 'ops-status', 'ops-submission', 'ops-list',
  'sign-in-page', 'race', 'signed-out', 'sandbox', 'failover', 'refused-cards', 'conversation-slack',
  'conversation-sandbox',
  'outage', 'liveness', 'soak', 'reliability', 'two-rooms', 'slack-unreachable',
])

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = SLOWEST.findIndex(name => moduleId.endsWith(name))
      return place < 0 ? SLOWEST.length : place
    }
    const order = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    return (await super.sort(files)).sort((a, b) => order(a) - order(b) || rank(a) - rank(b))
  }
}

export default defineConfig({
  plugins: [mjmlPlugin()],
  test: {
    environment: 'node',
    // For what hangs: what is promised in time is asserted where it is promised.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // No test leaves its process changed, and loading the SDKs for each file takes longer than most tests.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    projects: [
      // Most of an end-to-end test is waiting, not computing.
      {
        extends: true,
        test: {
          name: 'all', include: ['test/**/*.test.ts'], exclude: [...TIMED, ...ALONE], maxWorkers: 5,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'timed', include: TIMED, maxWorkers: 3, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
