import type { Chat, StateAdapter } from 'chat'
import { createBoard } from './adapters/chat/board'
import { connectPlatforms } from './adapters/chat/connections'
import { platformByName } from './adapters/chat/platforms'
import { createGateway, type Gateway } from './adapters/chat/gateway'
import type { Connection } from './adapters/chat/rooms'
import { SandboxRoom } from './adapters/chat/sandbox/room'
import { createEndpoint } from './adapters/downstream/endpoint'
import { createResendMailer } from './adapters/email/resend'
import { createOutboxMailer, type SentEmail } from './adapters/embedded/outbox-mailer'
import { createEmbeddedLimiter } from './adapters/embedded/limiter'
import { EmbeddedCardLine } from './adapters/embedded/line'
import { EmbeddedStore } from './adapters/embedded/store'
import { createJsonLog } from './adapters/log/json-log'
import { createRedis } from './adapters/redis/client'
import { createRedisLimiter } from './adapters/redis/limiter'
import { RedisCardLine } from './adapters/redis/line'
import { RedisStore } from './adapters/redis/store'
import { createTurnstile } from './adapters/turnstile/turnstile'
import { readConfig, type Config } from './config'
import { BotUnavailable } from './domain/errors'
import { receive, type IntakePorts } from './domain/submission/intake'
import { dataLivesUntil, nextAttention } from './domain/submission/lifecycle'
import { Outbox } from './domain/submission/outbox'
import { Poster } from './domain/submission/poster'
import { showSubmission, type Presentation, type SubmissionDetails } from './domain/submission/present'
import { Review } from './domain/submission/review'
import { idempotencyDigest, screen, type ScreeningPorts, type Sender } from './domain/submission/screening'
import { sweep } from './domain/submission/sweep'
import { registerReview } from './handlers/review'
import { background } from './http/background'
import { isExposed, isOwnPage } from './http/guards'
import { requestId } from './http/request-id'
import type { Limiter } from './ports/limiter'
import type { Log, Runtime } from './ports/runtime'
import type { CardLine } from './ports/line'
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
  close: () => Promise<void>
}

/** A webhook that cannot be started in this time, ms, is answered with 503; the platform sends it again. */
const BOT_PATIENCE_MS = 2000

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
  }
  const { store, line, limiter, state, close } = openStore(config, log)
  const room = config.sandbox ? new SandboxRoom(headers => isOwnPage(headers, isExposed(config.host))) : undefined
  const caught = createOutboxMailer(() => room?.changed())
  const connections = connectPlatforms({ slack: config.slack, discord: config.discord, sandbox: room }, log)
  const endpoint = config.endpoint ? createEndpoint(config.endpoint) : null
  const mailer = config.mail.apiKey ? createResendMailer({ apiKey: config.mail.apiKey, baseUrl: config.mail.baseUrl }) : caught
  const deliveries: Delivery[] = ['email', ...endpoint ? ['endpoint' as const] : []]
  const presentation: Presentation = {
    siteUrl: config.siteUrl,
    destinations: { email: config.mail.to, ...endpoint ? { endpoint: endpoint.host } : {} },
  }

  const formUrl = `${config.siteUrl}/api/form`

  const bot = once(() => startBot(connections, state, log, review))
  const board = createBoard(connections, bot, config.cardIntervalMs)
  const outbox = new Outbox({
    store, board, line, mailer, endpoint, presentation, runtime, log, policy: config.retry, mail: config.mail,
    template: async () => (await import('./adapters/email/template')).renderEmail,
  })
  const review = new Review({ store, outbox, deliveries, presentation, runtime, log })
  const { leaseMs } = config.retry
  const poster = new Poster({ store, outbox, board, line, leaseMs, overviewUrl: config.siteUrl, runtime, log })
  const intake: IntakePorts = { store, outbox, poster, board, line, leaseMs, runtime, log }

  const gateways = connections.flatMap(connection => createGateway(connection, { bot, siteUrl: config.siteUrl, background, log }) ?? [])
  const screening: ScreeningPorts = { honeypot: config.form.honeypot, humanCheck: config.form.turnstile ? createTurnstile(config.form.turnstile) : null, log }

  return {
    config, log, store, limiter, close, formUrl,
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

/** Hands the request to the platform's adapter. The SDK waits for the store without a bound: the answer does not. */
async function handleWebhook(key: string, request: Request, bot: () => Promise<Chat>): Promise<Response> {
  const ready = bot().then(async (chat) => {
    await chat.initialize()
    return chat
  })
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('The bot did not start in time.')), BOT_PATIENCE_MS).unref())
  const chat = await Promise.race([ready, late]).catch((error) => { throw new BotUnavailable(error) })
  return chat.webhooks[key]!(request, { waitUntil: background })
}

async function startBot(connections: readonly Connection[], state: () => Promise<StateAdapter>, log: Log, review: Review): Promise<Chat> {
  const [{ createBot }, { editModal, noticeModal }] = await Promise.all([import('./adapters/chat/bot'), import('./adapters/chat/modals')])
  return createBot({
    connections, state, log,
    register: bot => registerReview(bot, { review, editModal, noticeModal, log, platformLabel: key => platformByName(key)?.label ?? key }),
  })
}

interface Stores {
  store: SubmissionStore
  line: CardLine
  limiter: Limiter | null
  state: () => Promise<StateAdapter>
  close: () => Promise<void>
}

function openStore(config: Config, log: Log): Stores {
  const rules = { nextAttention, dataLivesUntil }
  const { rateLimit } = config.form
  const aMinute = { limit: rateLimit, windowS: 60 }
  if (!config.storeUrl) {
    const store = new EmbeddedStore({ dir: `${config.dataDir}/submissions`, now: Date.now, ...rules })
    return {
      store,
      line: new EmbeddedCardLine(),
      limiter: rateLimit > 0 ? createEmbeddedLimiter(aMinute) : null,
      state: async () => (await import('@chat-adapter/state-memory')).createMemoryState(),
      close: () => store.close(),
    }
  }
  const client = createRedis(config.storeUrl, log)
  const store = new RedisStore(client, rules)
  return {
    store,
    line: new RedisCardLine(client),
    limiter: rateLimit > 0 ? createRedisLimiter(client, aMinute) : null,
    state: async () => {
      const [{ createChatState }, { sdkLogger }] = await Promise.all([import('./adapters/redis/state'), import('./adapters/chat/logger')])
      return createChatState(client, sdkLogger(log, 'state'))
    },
    close: () => store.close(),
  }
}

/** Starts at the first call and hands everybody the same result; a failed start is tried again at the next. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => started ??= start().catch((error) => {
    started = undefined
    throw error
  })
}
