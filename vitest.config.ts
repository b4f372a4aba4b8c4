import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { mjmlPlugin } from './build/mjml.ts'

const e2e = (names: string[]) => names.map(name => `test/e2e/${name}.test.ts`)

const UNIT = ['test/{unit,contract}/**/*.test.ts']

/** Files of `UNIT` that take seconds each: `npm run test:quick` leaves them out. */
const SLOW_UNITS = [
  'unit/adapters/chat/streaming', 'unit/adapters/files/form-files', 'unit/adapters/http/client',
  'unit/composition/rehearsal', 'unit/domain/lifecycle/interleavings', 'unit/handlers/answer-queue',
  'unit/http/body/body', 'unit/platforms/discord/cards', 'unit/platforms/discord/forms/form',
  'unit/platforms/discord/gateway/*', 'unit/platforms/telegram/answers', 'unit/platforms/telegram/cards',
  'unit/platforms/whatsapp/cards', 'unit/support/described', 'unit/support/discord/*', 'contract/limiter',
  'contract/races', 'contract/store-overview', 'contract/submission-store',
].map(name => `test/${name}.test.ts`)

/** What people are promised in seconds: neighbours that compute would falsify it, those that wait do not. */
const TIMED = e2e([
  'liveness', 'outage', 'reliability', 'slack-unreachable', 'soak', 'thaw', 'two-rooms', 'vendor-outage',
])

/** They wait most of their time: two at a time leave the processor to those that compute. The longest begin. */
const WAITING = e2e([
  'page-weight', 'discord-gateway', 'crash-take-back', 'gateway-route', 'ops-offline', 'gateway-servers',
  'crash-forms', 'agent-teams', 'agent-approvals-late', 'failover', 'agent-slack', 'progress', 'card-data',
  'agent-left-behind', 'agent-telegram', 'cards-follow', 'whatsapp', 'expiry',
])

/** Two replicas post a card every 15 ms, in order: whoever computes beside them decides which of them is first. */
const ALONE = e2e(['burst'])

/** Those that take longest begin, so that none of them is left over when all others are done. */
const SLOWEST = [...WAITING, ...e2e([
  'vercel', 'crash', 'ops-states', 'ops-status', 'ops-list', 'sandbox-rooms', 'ops-hands', 'race', 'sandbox',
  'signed-out', 'ops-submission', 'ops-looks', 'sign-in-page', 'ops-arrivals', 'abuse', 'bodies', 'take-back', 'taking',
  'clock', 'refused-cards', 'outage', 'liveness', 'vendor-outage', 'reliability', 'soak', 'two-rooms',
  'slack-unreachable',
])]

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

interface Files { include: string[], exclude?: string[], maxWorkers: number, setupFiles?: string[] }

const PROPERTIES = 'test/support/properties.ts'

/** A failure that nobody sees again is understood by what the servers said. */
const setupFiles = ['test/support/tell-failures.ts', PROPERTIES]

/** Its files run together, after those of a lower `groupOrder`. */
function project(name: string, groupOrder: number, files: Files) {
  return { extends: true, test: { name, ...files, sequence: { groupOrder } } } as const
}

export default defineConfig({
  plugins: [mjmlPlugin()],
  test: {
    environment: 'node',
    // For what hangs: what is promised in time is asserted where it is promised.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // No test leaves its process changed, and loading the SDKs for each file takes longer than most tests.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    projects: [
      // They need no build. A third worker would only load the SDKs once more.
      project('unit', 0, {
        include: UNIT, exclude: process.env.QUICK ? SLOW_UNITS : [], maxWorkers: 2, setupFiles: [PROPERTIES],
      }),
      // Mostly they wait: the checks, which stand back, have the processor meanwhile.
      project('timed', 1, { include: TIMED, maxWorkers: 5, setupFiles }),
      // Units and checks may go on behind it.
      project('alone', 2, { include: ALONE, maxWorkers: 1, setupFiles }),
      project('waiting', 3, { include: WAITING, maxWorkers: 2, setupFiles }),
      // More at once than the processor has cores for take longer in all.
      project('e2e', 4, {
        include: ['test/**/*.test.ts'], exclude: [...UNIT, ...TIMED, ...WAITING, ...ALONE], maxWorkers: 3, setupFiles,
      }),
    ],
  },
})
