import { Readable } from 'node:stream'
import type { StatusReport } from '../../shared/types/status'
import { gatewayStates, type ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import { checkConfig, type Config } from '../config'
import { exportTable, jsonArray, type ExportedTable } from '../domain/operations/export'
import type { OptionalPart } from '../domain/operations/monitor'
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
  export: (table: ExportedTable, format: ExportFormat) => Promise<Readable>
}

type ExportFormat = 'csv' | 'json'

export interface OperationsParts extends StatusPorts {
  clock: StoreClock
  config: Config
  missing: readonly string[]
  decides: readonly string[]
  metrics: Promise<Metrics> | null
  listeners: readonly ListenerSupervisor[]
  runtime: Runtime
  log: Log
}

export function createOperations({ metrics, listeners, missing, decides, log, ...parts }: OperationsParts): Operations {
  const { store, board, runtime } = parts
  const startedAt = runtime.now()

  const gateways = () => gatewayStates(listeners, { labelOf: board.label, log })

  return {
    ready: createReadiness(parts),
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

export function optionalPartsOf({ mail, forms }: Pick<Config, 'mail' | 'forms'>): OptionalPart[] {
  const isThere = { receipts: mail.receipts !== undefined, files: Object.values(forms).some(({ files }) => files) }
  return (['receipts', 'files'] as const).filter(part => isThere[part])
}
