import { createBoard } from './adapters/chat/board'
import { connectPlatforms } from './adapters/chat/connections'
import { platformByName } from './adapters/chat/platforms'
import { createGateway, type Gateway } from './adapters/chat/gateway'
import { SandboxRoom } from './adapters/chat/sandbox/room'
import { createEndpoint } from './adapters/downstream/endpoint'
import { createResendMailer } from './adapters/email/resend'
import { createOutboxMailer, type SentEmail } from './adapters/embedded/outbox-mailer'
import { createHttpClient } from './adapters/http/client'
import { createJsonLog } from './adapters/log/json-log'
import { createTurnstile } from './adapters/turnstile/turnstile'
import { handleWebhook, startBot } from './composition/bot'
import { once } from './composition/once'
import { openStore } from './composition/stores'
import { readConfig, type Config } from './config'
import { receive, type IntakePorts } from './domain/submission/intake'
import { Outbox } from './domain/submission/outbox'
import { Poster } from './domain/submission/poster'
import { showSubmission, type Presentation, type SubmissionDetails } from './domain/submission/present'
import { Review } from './domain/submission/review'
import { idempotencyDigest, screen, type ScreeningPorts, type Sender } from './domain/submission/screening'
import { sweep } from './domain/submission/sweep'
import { background } from './http/background'
import { isExposed, isOwnPage } from './http/guards'
import { requestId } from './http/request-id'
import type { Limiter } from './ports/limiter'
import type { Log, Runtime } from './ports/runtime'
import type { SubmissionStore } from './ports/store'
import type { Delivery } from './ports/submission'

/** What routes and plugins use. */
export interface Services {
  config: Config
  log: Log
  store: SubmissionStore
  /** Where forms are sent, and a command that sends one. */
  formUrl: string
  sampleCurl: string
  /** The embedded chat platform and the emails that it caught; null when it is off. */
  sandbox: { room: SandboxRoom, emails: readonly SentEmail[] } | null
  /** Counts the forms of each client; null when they may send any number. */
  limiter: Limiter | null
  /** Takes a form in; resolves with its id, or with one that nothing has when it fell into the honeypot. */
  receive: (body: unknown, sender: Sender) => Promise<string>
  /** An undecided submission in full. @throws SubmissionGone */
  show: (id: string) => Promise<SubmissionDetails>
  /** Does what is due; resolves with how many submissions it took. */
  sweep: () => Promise<number>
  /** The webhook handler of a platform, or null when none is registered under that name. */
  webhook: (platform: string) => ((request: Request) => Promise<Response>) | null
  /** Every configured platform that has a socket to listen to. */
  gateways: readonly Gateway[]
  /** Listens to a platform's socket; null for a platform that has none or is not configured. */
  gateway: (platform: string) => Gateway | null
  /** Loads what the first click would have to wait for; calls nobody. */
  warm: () => Promise<unknown>
  close: () => Promise<void>
}

/** What the demo sends and the sandbox suggests. */
const SAMPLE_FORM = { name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order', message: 'Please quote 2 analytical engines.' }

let services: Services | undefined

/** The one set of services of this process, made on first use. @throws ConfigError */
export function useServices(): Services {
  return services ??= compose(readConfig(process.env))
}

function compose(config: Config): Services {
  const log = createJsonLog(() => ({ request: requestId() }))
  const runtime: Runtime = {
    now: Date.now, random: Math.random, background,
    uuid: () => crypto.randomUUID(),
    wait: ms => new Promise(resolve => setTimeout(resolve, ms)),
    within: (task, ms) => new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      task.then(() => resolve(), reject).finally(() => clearTimeout(timer))
    }),
  }
  const http = createHttpClient()
  const { store, line, limiter, state, close } = openStore(config, log)
  const room = config.sandbox ? new SandboxRoom(headers => isOwnPage(headers, isExposed(config.host))) : undefined
  const caught = createOutboxMailer(() => room?.changed())
  const connections = connectPlatforms({ slack: config.slack, discord: config.discord, sandbox: room }, log, http)
  const endpoint = config.endpoint ? createEndpoint(config.endpoint, http) : null
  const mailer = config.mail.apiKey ? createResendMailer({ apiKey: config.mail.apiKey, baseUrl: config.mail.baseUrl }, http) : caught
  const deliveries: Delivery[] = ['email', ...endpoint ? ['endpoint' as const] : []]
  const presentation: Presentation = {
    siteUrl: config.siteUrl,
    destinations: { email: config.mail.to, ...endpoint ? { endpoint: endpoint.host } : {} },
  }

  const formUrl = `${config.siteUrl}/api/form`

  const bot = once(() => startBot({ connections, state, log, review }))
  const board = createBoard(connections, bot, config.cardIntervalMs)
  const outbox = new Outbox({
    store, board, line, mailer, endpoint, presentation, runtime, log, policy: config.retry, mail: config.mail,
    template: once(async () => (await import('./adapters/email/template')).renderEmail),
  })
  const review = new Review({ store, outbox, deliveries, presentation, runtime, log })
  const { leaseMs } = config.retry
  const poster = new Poster({ store, outbox, board, line, leaseMs, overviewUrl: config.siteUrl, runtime, log })
  const intake: IntakePorts = { store, outbox, poster, board, line, leaseMs, runtime, log }

  const gateways = connections.flatMap(connection => createGateway(connection, { bot, siteUrl: config.siteUrl, background, log }) ?? [])
  const screening: ScreeningPorts = { honeypot: config.form.honeypot, humanCheck: config.form.turnstile ? createTurnstile(config.form.turnstile) : null, log }

  return {
    config, log, store, limiter, close, formUrl, warm: bot,
    sampleCurl: `curl ${formUrl} -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE_FORM)}'`,
    sandbox: room ? { room, emails: caught.sent } : null,
    receive: async (body, sender) => {
      const screened = await screen(body, sender, screening)
      return screened ? receive(screened.data, intake, idempotencyDigest(sender)) : runtime.uuid()
    },
    show: id => showSubmission(id, store, presentation),
    sweep: () => {
      poster.wake()
      return sweep({ store, outbox, leaseMs, runtime, log })
    },
    gateway: key => gateways.find(({ platform }) => platform === key) ?? null,
    gateways,
    webhook: (name) => {
      const key = platformByName(name)?.key
      if (!key || !board.platforms.includes(key)) return null
      return request => handleWebhook(key, request, bot)
    },
  }
}
