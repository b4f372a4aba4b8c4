import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { version } from '../../package.json'
import type { Setup } from '../../shared/types/setup'
import type { StatusReport } from '../../shared/types/status'
import { gatewayStates, type ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import { createEndpoint } from '../adapters/downstream/endpoint'
import { checkConfig, type Config } from '../config'
import { sqlitePath } from '../config/store-url'
import type { Context } from '../domain/context'
import { Alerts } from '../domain/operations/alerts'
import { openWays } from '../domain/operations/alert-ways'
import { Credentials, introduce } from '../domain/operations/credentials'
import { exportTable, jsonArray, type ExportedTable } from '../domain/operations/export'
import { problemsOf, readParts } from '../domain/operations/parts'
import { createReadiness, type Readiness, type Storage } from '../domain/operations/readiness'
import { readStatus } from '../domain/operations/status'
import { TestCards } from '../domain/operations/test-cards'
import { TestEmail } from '../domain/operations/test-email'
import { whyClosed } from '../http/auth/viewer'
import { outside } from '../platforms/registry'
import type { AlertBook, Metrics } from '../ports/monitor'
import type { TestReceipts } from '../ports/delivery'
import type { HttpClient } from '../ports/http'
import type { Limiter } from '../ports/limiter'

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

interface UpkeepParts {
  config: Config
  storage: Storage
  missing: readonly string[]
  decides: readonly string[]
  metrics: Promise<Metrics> | null
  listeners: readonly ListenerSupervisor[]
  receipts: TestReceipts
  alertBook: AlertBook
  http: HttpClient
  /** Counts test emails, test cards and test alerts. */
  limiter: Limiter
  /** Warnings about unusual values of variables, one line each. */
  warnings: readonly string[]
}

/** Status, set-up, tests and retries: tools for operators. */
export function createUpkeep(context: Context, parts: UpkeepParts) {
  const credentials = new Credentials(context)
  const { receipts, limiter } = parts
  return {
    operations: createOperations(context, credentials, parts),
    setup: () => readSetup(context, credentials, parts),
    testEmail: new TestEmail(context, receipts, limiter),
    testCards: new TestCards(context, limiter),
    alerts: createAlerts(context, parts),
  }
}

function createAlerts(
  context: Context, { config: { alerts, endpoint }, alertBook, storage, listeners, limiter, http }: UpkeepParts,
): Alerts {
  const { room, to, webhook, afterMs } = alerts
  return new Alerts(context, {
    book: alertBook, storage, limiter, afterMs,
    gateways: () => gatewayStates(listeners, { labelOf: context.board.label, log: context.log }),
    ways: openWays(context, {
      room, to,
      webhook: webhook ? createEndpoint({ url: webhook, signingSecrets: endpoint.signingSecrets }, http) : undefined,
    }),
  })
}

function createOperations(
  context: Context, credentials: Credentials, { config, storage, metrics, listeners, missing, decides }: UpkeepParts,
): Operations {
  const { store, board, runtime, log } = context
  const startedAt = runtime.now()

  const gateways = () => gatewayStates(listeners, { labelOf: board.label, log })

  return {
    about: aboutOf(config), introduce: () => introduce(context),
    ready: createReadiness(context, storage, credentials),
    refusal: () => storage.refusal?.reason ?? null,
    status: async () => {
      const [status, found] = await Promise.all([readStatus(context, storage, credentials), gateways()])
      return { ...status, version, startedAt, gateways: found, config: checkConfig(), missing, decides }
    },
    metrics: metrics && (async () => {
      const [backlog, found] = await Promise.all([store.backlog(runtime.now()).catch(() => null), gateways()])
      return (await metrics).expose(backlog && { backlog, gateways: found, now: runtime.now() })
    }),
    async export(table, format) {
      if (format === 'json') return Readable.from(jsonArray(context, table))
      const { csvStream } = await import('../adapters/csv/csv')
      const { columns, rows } = await exportTable(context, table)
      return csvStream(columns, rows)
    },
  }
}

/** Returns the configuration and the problems of its parts. */
async function readSetup(
  context: Context, credentials: Credentials, { config, storage, warnings, listeners }: UpkeepParts,
): Promise<Setup> {
  const { board, forms: { rooms } } = context
  const { siteUrl, platforms: settings } = config
  const [refusal] = await Promise.all([storage.check(), credentials.check()])
  const parts = Object.groupBy(await readParts(context), ({ key }) => key.split('/')[0]!)
  const problems = Object.entries(parts).map(([key, all = []]) => [key, problemsOf(all)] as const)
  const areas = checkConfig()
  const connectsItself = (key: string) => listeners.some(({ platform }) => platform === key)
  const used = outside.filter(({ key }) => key in settings)
  return {
    siteUrl, needsSiteUrl: used.length === 0 || used.some(({ key }) => !connectsItself(key)),
    config: areas, warnings,
    problems: Object.fromEntries([...problems, ['store', refusal ? [refusal.reason] : []]]),
    platforms: await Promise.all(outside.map(async (definition) => {
      const { key, label, icon, about, channel, outgoing, setup } = definition
      const needs = outgoing && connectsItself(key)
        ? [...definition.needs.filter(name => !outgoing.replaced.includes(name)), outgoing.variable]
        : definition.needs
      const isWithoutCards = key in settings && !rooms.some(room => room.split('/')[0] === key)
      return {
        key, label, icon, about, waits: await board.awaits(key) ?? undefined,
        required: channel.instead || isWithoutCards ? needs : [...needs, channel.variable!],
        noCards: isWithoutCards
          ? `There are conversations with the bot on ${label}, but no cards. Set ${channel.variable} to get cards there.`
          : undefined,
        steps: setup(siteUrl, settings[key]),
      }
    })),
  }
}

function mailerOf({ carrier, smtp, fallback }: Config['mail']): string {
  if (smtp) return `SMTP server at ${smtp.host}:${smtp.port}, ${fallback ? 'then Resend' : 'without receipts'}`
  return carrier ?? 'none: emails are kept here (MAIL_API_KEY is not set)'
}

/** Facts about this deployment, for the log at the start; without secrets. */
function aboutOf(config: Config): Record<string, unknown> {
  const { storeUrl, mail, siteUrl, platforms } = config
  const file = sqlitePath(storeUrl)
  return {
    version, platforms: Object.keys(platforms),
    store: file === null ? `Redis at ${new URL(storeUrl).host}` : `SQLite in ${resolve(file)}`,
    mailer: mailerOf(mail),
    pages: whyClosed(config) ?? (siteUrl === null ? '/ (NUXT_PUBLIC_SITE_URL is not set)' : `${siteUrl}/`),
  }
}
