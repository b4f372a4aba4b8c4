import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { version } from '../../package.json'
import type { Setup } from '../../shared/types/setup'
import type { StatusReport } from '../../shared/types/status'
import { textsIn } from '../../shared/texts'
import { gatewayStates, type ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import { checkConfig, type Config } from '../config'
import { Credentials, introduce } from '../domain/operations/credentials'
import { exportTable, jsonArray, type ExportedTable } from '../domain/operations/export'
import type { OptionalPart } from '../domain/operations/monitor'
import { problemsOf, readParts, type PartsPorts } from '../domain/operations/parts'
import { createReadiness, type Readiness, type Storage } from '../domain/operations/readiness'
import { readStatus, type StatusPorts } from '../domain/operations/status'
import { TestCards } from '../domain/operations/test-cards'
import { TestEmail } from '../domain/operations/test-email'
import { whyClosed } from '../http/auth/viewer'
import { outside } from '../platforms/registry'
import type { Mailer, TestReceipts } from '../ports/delivery'
import type { Forms } from '../ports/form'
import type { Limiter } from '../ports/limiter'
import type { Metrics, Monitor } from '../ports/monitor'
import type { Log, Runtime, StoreClock } from '../ports/runtime'

/** State of the service, for people and machines. */
export interface Operations {
  /** Version, store, mailer and pages, for the log. */
  about: Readonly<Record<string, unknown>>
  /** Logs the bot's name on each platform, or why the platform refuses it. */
  introduce: () => Promise<void>
  ready: () => Promise<Readiness>
  status: () => Promise<StatusReport>
  /** Reason for refusing forms, from this process's last check; null if forms are accepted. */
  refusal: () => string | null
  /** Null if METRICS_TOKEN is not set. */
  metrics: (() => Promise<{ contentType: string, body: string }>) | null
  export: (table: ExportedTable, format: ExportFormat) => Promise<Readable>
}

type ExportFormat = 'csv' | 'json'

interface OperationsParts extends StatusPorts {
  clock: StoreClock
  storage: Storage
  config: Config
  missing: readonly string[]
  decides: readonly string[]
  metrics: Promise<Metrics> | null
  listeners: readonly ListenerSupervisor[]
  runtime: Runtime
  log: Log
}

interface UpkeepParts extends Omit<OperationsParts, 'credentials' | 'optionalParts' | 'rooms' | 'takes'> {
  forms: Forms
  mailer: Mailer
  receipts: TestReceipts
  /** Counts test emails and test cards. */
  limiter: Limiter
  monitor: Monitor
  /** Warnings about unusual values. */
  warnings: readonly string[]
}

/** Status, set-up, tests and retries: the tools of people on duty. */
export function createUpkeep({ forms, mailer, receipts, limiter, monitor, warnings, ...parts }: UpkeepParts) {
  const { config, board, runtime } = parts
  const texts = textsIn(config.locale)
  const known: OperationsParts = {
    ...parts, credentials: new Credentials({ board, monitor, runtime }), optionalParts: optionalPartsOf(config),
    rooms: forms.rooms, takes: config.people.claimMs !== null,
  }
  return {
    operations: createOperations(known),
    setup: () => readSetup(config, { ...known, warnings }),
    testEmail: new TestEmail({ mailer, mail: config.mail, receipts, texts, limiter, runtime, monitor }),
    testCards: new TestCards({ board, forms, texts, limiter, runtime, monitor }),
  }
}

function createOperations({ metrics, listeners, missing, decides, log, ...parts }: OperationsParts): Operations {
  const { store, board, runtime } = parts
  const startedAt = runtime.now()

  const gateways = () => gatewayStates(listeners, { labelOf: board.label, log })

  return {
    about: aboutOf(parts.config), introduce: () => introduce(board, log),
    ready: createReadiness(parts),
    refusal: () => parts.storage.refusal?.reason ?? null,
    status: async () => {
      const [status, found] = await Promise.all([readStatus(parts), gateways()])
      return { ...status, version, startedAt, gateways: found, config: checkConfig(), missing, decides }
    },
    metrics: metrics && (async () => {
      const [backlog, found] = await Promise.all([store.backlog(runtime.now()).catch(() => null), gateways()])
      return (await metrics).expose(backlog && { backlog, gateways: found, now: runtime.now() })
    }),
    async export(table, format) {
      if (format === 'json') return Readable.from(jsonArray(store, table))
      const { csvStream } = await import('../adapters/csv/csv')
      const { columns, rows } = await exportTable(store, table)
      return csvStream(columns, rows)
    },
  }
}

function optionalPartsOf({ mail, forms }: Pick<Config, 'mail' | 'forms'>): OptionalPart[] {
  const isThere = { receipts: mail.receipts !== undefined, files: Object.values(forms).some(({ files }) => files) }
  return (['receipts', 'files'] as const).filter(part => isThere[part])
}

interface SetupPorts extends PartsPorts {
  /** Warnings about values of variables, one line each. */
  warnings: readonly string[]
  storage: Pick<Storage, 'check'>
  credentials: Credentials
  runtime: Runtime
}

/** Reads the configuration, and problems of its parts. */
async function readSetup({ siteUrl, platforms: settings }: Config, ports: SetupPorts): Promise<Setup> {
  const { board, storage, credentials, runtime, rooms, warnings } = ports
  const [refusal] = await Promise.all([storage.check(), credentials.check()])
  const parts = Object.groupBy(await readParts(ports, runtime.now()), ({ key }) => key.split('/')[0]!)
  const problems = Object.entries(parts).map(([key, all = []]) => [key, problemsOf(all)] as const)
  return {
    siteUrl, config: checkConfig(), warnings,
    problems: Object.fromEntries([...problems, ['store', refusal ? [refusal.reason] : []]]),
    platforms: await Promise.all(outside.map(async ({ key, label, icon, about, needs, channel, setup }) => {
      const isWithoutCards = key in settings && !rooms.some(room => room.split('/')[0] === key)
      return {
        key, label, icon, about, waits: await board.awaits(key) ?? undefined,
        required: channel.instead || isWithoutCards ? needs : [...needs, channel.variable!],
        noCards: isWithoutCards
          ? `People talk with the bot on ${label}, and no cards go there: set ${channel.variable} to have them.`
          : undefined,
        steps: setup(siteUrl, settings[key]),
      }
    })),
  }
}

/** Facts about this deployment, for the log at the start; without secrets. */
function aboutOf(config: Config): Record<string, unknown> {
  const { storeUrl, dataDir, mail, siteUrl, platforms } = config
  return {
    version, platforms: Object.keys(platforms),
    store: storeUrl ? `Redis at ${new URL(storeUrl).host}` : `files in ${resolve(dataDir)}`,
    mailer: mail.apiKey ? 'Resend' : 'none: emails are kept here (MAIL_API_KEY is not set)',
    pages: whyClosed(config) ?? (siteUrl === null ? '/ (NUXT_PUBLIC_SITE_URL is not set)' : `${siteUrl}/`),
  }
}
