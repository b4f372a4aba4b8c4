import { Readable } from 'node:stream'
import type { StatusReport } from '../../shared/types/status'
import { gatewayStates, type ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import { checkConfig, type Config } from '../config'
import { exportTable, jsonArray, type ExportedTable } from '../domain/operations/export'
import { Credentials } from '../domain/operations/credentials'
import type { OptionalPart } from '../domain/operations/monitor'
import { introduce } from '../domain/operations/introduction'
import { createReadiness, type Readiness, type Storage } from '../domain/operations/readiness'
import { readStatus, type StatusPorts } from '../domain/operations/status'
import { TestCards } from '../domain/operations/test-cards'
import { TestEmail } from '../domain/operations/test-email'
import type { Mailer } from '../ports/delivery'
import type { Forms } from '../ports/form'
import type { Limiter } from '../ports/limiter'
import type { Metrics, Monitor } from '../ports/monitor'
import type { TestReceipts } from '../ports/receipts'
import type { Log, Runtime, StoreClock } from '../ports/runtime'
import { readSetup } from './setup'
import { version } from '../../package.json'
import { aboutOf } from './about'

/** How the service is doing, for people and machines. */
export interface Operations {
  /** Version, store, mailer and pages, for the log. */
  about: Readonly<Record<string, unknown>>
  /** Logs who the bot is on each platform, or why it is refused. */
  introduce: () => Promise<void>
  ready: () => Promise<Readiness>
  status: () => Promise<StatusReport>
  /** Why forms are refused, as this process found it last; null when they are not. */
  refusal: () => string | null
  /** Null when METRICS_TOKEN is not set. */
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
  /** Values that look unusual. */
  warnings: readonly string[]
}

/** Status, set-up, tests and retries: the tools of people on duty. */
export function createUpkeep({ forms, mailer, receipts, limiter, monitor, warnings, ...parts }: UpkeepParts) {
  const { config, board, runtime } = parts
  const known: OperationsParts = {
    ...parts, credentials: new Credentials({ board, monitor, runtime }), optionalParts: optionalPartsOf(config),
    rooms: forms.rooms, takes: config.people.claimMs !== null,
  }
  return {
    operations: createOperations(known),
    setup: () => readSetup(config, { ...known, warnings }),
    testEmail: new TestEmail({ mailer, mail: config.mail, receipts, limiter, runtime, monitor }),
    testCards: new TestCards({ board, forms, limiter, runtime, monitor }),
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
