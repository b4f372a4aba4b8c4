import { Readable } from 'node:stream'
import type { StatusReport } from '../../shared/types/status'
import type { ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import { checkConfig, type Config } from '../config'
import { auditRecords, auditTable, pendingSubmissions, submissionTable } from '../domain/operations/export'
import { createReadiness, type Readiness } from '../domain/operations/readiness'
import { readStatus, type StatusPorts } from '../domain/operations/status'
import type { Metrics } from '../ports/monitor'
import type { Log, Runtime, StoreClock } from '../ports/runtime'
import { version } from '../../package.json'

/** How the service is doing, for people and machines. */
export interface Operations {
  ready: () => Promise<Readiness>
  status: () => Promise<StatusReport>
  /** Null when METRICS_TOKEN is not set. */
  metrics: (() => Promise<{ contentType: string, body: string }>) | null
  /** Streams a whole table. */
  export: (table: ExportedTable, format: ExportFormat) => Promise<Readable>
}

type ExportedTable = 'submissions' | 'audit'
type ExportFormat = 'csv' | 'json'

/** Every line that is kept. */
const ALL_LINES = 100_000

export interface OperationsParts extends StatusPorts {
  clock: StoreClock
  storeAdvice: () => readonly string[]
  config: Config
  missing: readonly string[]
  metrics: Promise<Metrics> | null
  listeners: readonly ListenerSupervisor[]
  runtime: Runtime
  log: Log
}

export function createOperations({ metrics, listeners, missing, log, ...parts }: OperationsParts): Operations {
  const { store, board, runtime } = parts
  const startedAt = runtime.now()

  /** One whose status cannot be read keeps nobody from the rest. */
  const gateways = () => Promise.all(listeners.map(async ({ platform, status }) => {
    const unread = (error: unknown) => {
      log.warn('gateway.status-failed', { platform, error })
      return null
    }
    return { platform, label: board.label(platform), status: await status().catch(unread) }
  }))

  return {
    ready: createReadiness(parts),
    status: async () => {
      const [status, found] = await Promise.all([readStatus(parts), gateways()])
      return { ...status, version, startedAt, gateways: found, config: checkConfig(), missing }
    },
    metrics: metrics && (async () => {
      const [backlog, found] = await Promise.all([store.backlog(runtime.now()).catch(() => null), gateways()])
      const states = found.flatMap(({ platform, status }) => status ? [{ platform, connected: status.connectedSince !== null, resumes: status.resumes, deadLetters: status.deadLetters }] : [])
      return (await metrics).expose(backlog && { backlog, gateways: states, now: runtime.now() })
    }),
    async export(table, format) {
      if (format === 'json') return Readable.from(jsonArray(table === 'audit' ? auditRecords(store, ALL_LINES) : pendingSubmissions(store)))
      const { csvStream } = await import('../adapters/csv/csv')
      const { columns, rows } = table === 'audit' ? await auditTable(store, ALL_LINES) : await submissionTable(store)
      return csvStream(columns, rows)
    },
  }
}

async function* jsonArray(items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '['
  for await (const item of items) {
    yield `${before}\n${JSON.stringify(item)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
