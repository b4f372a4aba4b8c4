import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import unimport from 'unimport/unplugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { localesPlugin } from './build/locales.ts'
import { mjmlPlugin } from './build/mjml.ts'

const e2e = (names: string[]) => names.map(name => `test/e2e/${name}.test.ts`)

/** Tests of the pages' code, with Vue and without a browser */
const APP = ['test/unit/app/**/*.test.ts']

const UNIT = ['test/{unit,contract}/**/*.test.ts']

/** Files of `UNIT` that take seconds each: `npm run test:quick` leaves them out. */
const SLOW_UNITS = [
  'unit/adapters/chat/streaming', 'unit/adapters/files/form-files', 'unit/adapters/http/client',
  'unit/composition/rehearsal', 'unit/domain/lifecycle/interleavings', 'unit/handlers/answer-queue',
  'unit/http/body/body', 'unit/platforms/cards', 'unit/platforms/discord/forms/form',
  'unit/platforms/discord/interactions', 'unit/platforms/discord/modals', 'unit/platforms/discord/room',
  'unit/platforms/discord/gateway/*', 'unit/platforms/slack/socket/connection', 'unit/platforms/teams/dialogs',
  'unit/platforms/telegram/*', 'unit/support/described', 'unit/support/discord', 'contract/limiter',
  'contract/races', 'contract/redis-url', 'contract/store-overview', 'contract/submission-store',
].map(name => `test/${name}.test.ts`)

/** Tests of promised times: CPU-heavy tests beside them would falsify the result, waiting ones do not. */
const TIMED = e2e([
  'liveness', 'outage', 'reliability', 'slack-unreachable', 'soak', 'thaw', 'vendor-outage',
])

/** Tests that mostly wait: run two at a time, they leave the processor to CPU-heavy tests. The longest start first. */
const WAITING = e2e([
  'discord-gateway', 'crash-take-back', 'gateway-route', 'crash-forms', 'agent-approvals-late', 'failover',
  'agent-slack', 'progress', 'card-data', 'agent-left-behind', 'agent-telegram', 'cards-follow', 'whatsapp',
  'telegram-polling', 'smtp',
])

/** Two replicas post a card every 15 ms, in order: a CPU-heavy test beside them would decide which one is first. */
const ALONE = e2e(['burst'])

/** Slowest tests, started first so that none of them runs on alone at the end */
const SLOWEST = [...WAITING, ...e2e([
  'vercel', 'crash', 'crash-sqlite', 'sqlite', 'sandbox', 'ops-looks', 'ops-list', 'ops-status', 'page-weight',
  'ops-submission', 'sign-in-page',
  'race', 'race-sqlite', 'abuse', 'bodies', 'taking', 'clock', 'refused-cards', 'outage', 'liveness', 'vendor-outage',
  'reliability', 'soak', 'slack-unreachable',
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

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Imports what Nuxt imports by itself, with a double of Nuxt. */
const autoImports = unimport.vite({
  include: [/\/(?:app|pages)\/.*\.(?:ts|vue)$/], exclude: [/\/test\//],
  dirs: ['app/composables/**', 'app/utils', 'shared/utils', 'shared/types'].map(pathOf),
  presets: ['vue', { from: pathOf('test/support/app/nuxt.ts'), imports: [
    '$fetch', 'definePageMeta', 'defineNuxtRouteMiddleware', 'navigateTo', 'onBeforeRouteLeave', 'onBeforeRouteUpdate',
    'onNuxtReady', 'preloadRouteComponents', 'useHead', 'useRoute', 'useRouter', 'useState', 'useToast',
  ] }],
  addons: { vueTemplate: true },
})

interface Files {
  include: string[]
  exclude?: string[]
  maxWorkers: number
  setupFiles?: string[]
  environment?: string
}

const PROPERTIES = 'test/support/properties.ts'

/** Prints the servers' output with a failure, because it may not happen again. */
const setupFiles = ['test/support/tell-failures.ts', PROPERTIES]

/** Returns a project whose files run together, after the projects with a lower `groupOrder`. */
function project(name: string, groupOrder: number, files: Files) {
  return { extends: true, test: { name, ...files, sequence: { groupOrder } } } as const
}

export default defineConfig({
  plugins: [mjmlPlugin(), localesPlugin()],
  test: {
    environment: 'node',
    // Only for tests that hang: promised times are asserted in the tests themselves.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Share one process: tests restore what they change, and loading the SDKs per file takes longer than most tests.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    projects: [
      // No build needed. A third worker would only load the SDKs once more.
      project('unit', 0, {
        include: UNIT, exclude: [...APP, ...process.env.QUICK ? SLOW_UNITS : []], maxWorkers: 2,
        setupFiles: [PROPERTIES],
      }),
      {
        ...project('app', 0, {
          include: APP, maxWorkers: 2, setupFiles: ['test/support/app/setup.ts'],
          environment: './test/support/app/environment.ts',
        }),
        plugins: [vue(), autoImports],
        resolve: { alias: { '#components': pathOf('test/support/app/components.ts'), '~': pathOf('app') } },
      },
      // These tests mostly wait: meanwhile the processor is free for the checks, which have a lower priority.
      project('timed', 1, { include: TIMED, maxWorkers: 5, setupFiles }),
      // Units and checks may still run beside it.
      project('alone', 2, { include: ALONE, maxWorkers: 1, setupFiles }),
      project('waiting', 3, { include: WAITING, maxWorkers: 2, setupFiles }),
      // More workers than processor cores would take longer in total.
      project('e2e', 4, {
        include: ['test/**/*.test.ts'], exclude: [...UNIT, ...TIMED, ...WAITING, ...ALONE], maxWorkers: 3, setupFiles,
      }),
    ],
  },
})
