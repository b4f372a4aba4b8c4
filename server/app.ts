import type { SentEmail } from '../shared/types/sandbox'
import { createBoard } from './adapters/chat/board'
import { connectPlatforms } from './platforms/connections'
import { platformByName } from './platforms/registry'
import { superviseListener, type ListenerSupervisor } from './adapters/chat/listener-supervisor'
import { createPlaces } from './adapters/chat/places'
import { SandboxRoom } from './platforms/sandbox/room'
import type { SlackManifest } from './platforms/slack/manifest'
import { createResendMailer } from './adapters/email/resend'
import { createOutboxMailer } from './adapters/embedded/outbox-mailer'
import { createHttpClient } from './adapters/http/client'
import { captureOutput, createJsonLog } from './adapters/log/json-log'
import { createTurnstile } from './adapters/turnstile/turnstile'
import { createAgentConversation } from './composition/agent'
import { handleWebhook, startBot, sweepMessages, type Bot } from './composition/bot'
import { createMonitor } from './composition/monitor'
import { createOperations, type Operations } from './composition/operations'
import { createForms } from './composition/forms'
import { createIdentityProviders } from './composition/identity'
import { once } from './composition/once'
import { manifestOf, readSetup, type Setup } from './composition/setup'
import { createSlackInstall, type SlackInstall } from './composition/slack-install'
import { openStore } from './composition/stores'
import { LOCAL_SITE, readConfig, type Config } from './config'
import { missingSettings } from './config/missing'
import { slackChannels } from './config/slack-oauth'
import { ChatCommands } from './domain/conversation/commands'
import { Membership } from './domain/conversation/membership'
import { Storage } from './domain/operations/readiness'
import { accept, type AcceptPorts, Quota } from './domain/submission/accept'
import { RoomSubmissions } from './domain/submission/room-submissions'
import { isRoom } from './domain/submission/place'
import { OpsSubmissions } from './domain/submission/ops-submissions'
import { Outbox } from './domain/submission/outbox'
import { Poster } from './domain/submission/poster'
import { type Presentation, deliveriesOf } from './domain/submission/present'
import { Quarantine } from './domain/submission/quarantine'
import { Review } from './domain/submission/review'
import type { Sender } from './domain/submission/screening'
import { sweep } from './domain/submission/sweep'
import { background } from './http/background'
import { createBodyReader, type ReadBody } from './http/body'
import { requestId } from './http/errors'
import { whyClosed } from './http/viewer'
import type { Place } from './ports/board'
import type { IdentityProvider } from './ports/identity'
import type { Limiter } from './ports/limiter'
import type { Log, Runtime } from './ports/runtime'
import type { SubmissionStore } from './ports/store'

/** What routes and plugins use. */
export interface Services {
  config: Config
  log: Log
  store: SubmissionStore
  /** Where forms are sent, and a command that sends one; a path while the public URL is not known. */
  formUrl: string
  sampleCurl: string
  /** The embedded chat platform and the emails that it caught; null when it is off. */
  sandbox: { room: SandboxRoom, emails: readonly SentEmail[] } | null
  /** The form with this key, or the default one; null when there is none. */
  inbox: (form: string | undefined) => Inbox | null
  /** Reads the body of a request, within what all of them may take. */
  readBody: ReadBody
  /** Counts attempts to sign in to the ops pages. */
  signIns: Limiter
  /** The platforms that people sign in with. */
  identityProviders: readonly IdentityProvider[]
  /** What people do at the ops pages. */
  opsSubmissions: OpsSubmissions
  operations: Operations
  setup: () => Setup
  /** Does what is due; resolves with how many submissions it took. */
  sweep: () => Promise<number>
  /** What the operator did not set, and what is missing because of it; one line each. */
  missing: readonly string[]
  /** The webhook of a platform, or null when none is registered under that name. */
  webhook: (platform: string) => Webhook | null
  /** Every configured platform that has a socket to listen to. */
  listeners: readonly ListenerSupervisor[]
  /** Listens to a platform's socket; null for a platform that has none or is not configured. */
  listener: (platform: string) => ListenerSupervisor | null
  /** What a Slack app for this deployment is created from; null while its public URL is not known. */
  slackManifest: ((variant: { files: boolean }) => SlackManifest) | null
  /** Lets other Slack workspaces install the app; null when that is off. */
  slackInstall: SlackInstall | null
  /** Begins no more answers, and ends the agent's that run, so that nobody waits for them. */
  stopConversations: () => void
  /** Loads what the first click or message would have to wait for. */
  warm: () => Promise<unknown>
  close: () => Promise<void>
}

interface Webhook {
  /** Its requests come from our own pages, and from nobody else. */
  fromPages: boolean
  /** @param viewer who sent it, where it comes from our own pages */
  handle: (request: Request, viewer: { id: string, name: string } | null) => Promise<Response>
}

interface Inbox {
  rules: Config['form']
  accept: (read: () => Promise<unknown>, sender: Sender) => Promise<string>
}

/** Submissions whose refused cards are tried again when a process starts. */
const STUCK_AT_START = 100

/** What the demo sends and the sandbox suggests. */
const SAMPLE_FORM = { name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order', message: 'Please quote 2 analytical engines.' }

let log: Log | undefined
let services: Services | undefined

/** The log of this process; from the first use on, everything that is printed is a line of it. */
export function useLog(): Log {
  if (log) return log
  log = createJsonLog(() => ({ request: requestId() }))
  // A developer's terminal is no log.
  if (!import.meta.dev) captureOutput(log)
  return log
}

/** The one set of services of this process, made on first use. @throws ConfigError */
export function useServices(): Services {
  return services ??= compose(readConfig())
}

function compose(config: Config): Services {
  const log = useLog()
  const { store, line, limiter, signIns, health, questions, approvals, messages, state, clock, advice: storeAdvice, close } = openStore(config, log)
  const runtime: Runtime = {
    now: clock.now, random: Math.random, background,
    uuid: () => crypto.randomUUID(),
    wait: ms => new Promise(resolve => setTimeout(resolve, ms)),
    turn: () => new Promise(resolve => setImmediate(resolve)),
    within: (task, ms) => new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      task.then(() => resolve(), reject).finally(() => clearTimeout(timer))
    }),
  }
  const http = createHttpClient()
  const room = config.sandbox ? new SandboxRoom() : undefined
  const caught = createOutboxMailer(() => room?.changed())
  const connections = connectPlatforms({ slack: config.slack && { ...config.slack, oauth: config.platforms.slackOAuth, channels: slackChannels(config.forms) }, discord: config.discord, ...config.platforms.chat, sandbox: room }, log, http)
  const mailer = config.mail.apiKey ? createResendMailer({ apiKey: config.mail.apiKey, baseUrl: config.mail.baseUrl }, http) : caught
  const forms = createForms(config, http, connections.map(({ platform }) => platform.key))
  const deliveries = [...new Set(forms.all.flatMap(deliveriesOf))]
  // A page that answers 403 to everybody is not linked to.
  const pagesUrl = whyClosed(config) ? null : config.siteUrl
  const presentation: Presentation = { siteUrl: pagesUrl, forms }

  const formUrl = `${config.siteUrl ?? ''}/api/form`
  const missing = missingSettings(config)

  const metrics = config.ops.metricsToken ? import('./adapters/metrics/prometheus').then(({ createPrometheus }) => createPrometheus()) : null
  const monitor = createMonitor(health, metrics, runtime.now)
  const { leaseMs } = config.retry
  let running: Bot | undefined
  const started = once(async () => running = await startBot({ connections, places, state, log, reviewAt, commands, agent, audience, messages, leaseMs, settings: config.agent }))
  const bot = async () => (await started()).chat
  const places = createPlaces(connections)
  const board = createBoard(connections, bot, log, config.cardIntervalMs)
  const outbox = new Outbox({
    store, board, line, mailer, presentation, runtime, monitor, log, policy: config.retry, mail: config.mail,
    template: once(async () => (await import('./adapters/email/template')).renderEmail),
  })
  const reviewAt = (place: Place) => new Review({ store, outbox, board, presentation, runtime, monitor, log }, place)
  const commands = new ChatCommands({ store, outbox, board, presentation, platforms: connections.map(({ platform }) => platform.label), runtime })
  const submissionsAt = (place: Place) => new RoomSubmissions({ store, board, review: reviewAt(place), presentation }, place)
  const agent = createAgentConversation({ config, connections, places, forms, approvals, submissionsAt, runtime, monitor, log })
  const membership = new Membership({ board, rooms: forms.rooms, runtime, log })
  const audience = { isRoom: (place: Place) => isRoom(place, forms), isMember: (platform: string, userId: string) => membership.of(platform, userId), limiter: questions }
  const poster = new Poster({ store, outbox, board, line, forms, leaseMs, overviewUrl: pagesUrl, runtime, log })

  const listeners = connections.flatMap(connection => superviseListener(connection, { bot, siteUrl: config.siteUrl ?? LOCAL_SITE, background, log }) ?? [])
  const incoming: AcceptPorts = {
    quota: limiter && new Quota(limiter, runtime.now),
    screening: { honeypot: config.form.honeypot, humanCheck: config.form.turnstile ? createTurnstile(config.form.turnstile) : null, log },
    intake: { store, outbox, poster, board, line, leaseMs, runtime, monitor, log },
  }

  const storage = new Storage(store, runtime.now)
  const operations = createOperations({ config, missing, store, storage, board, health, clock, storeAdvice, metrics, deliveries, listeners, runtime, log })

  /** A new process may know better how to post what was refused. */
  let postedAgain = false

  return {
    config, log, missing, store, signIns, operations, close, formUrl,
    readBody: createBodyReader({ ...config.bodies, largestForm: config.maxBodyBytes, trustedProxies: config.form.trustedProxies }),
    warm: async () => agent?.warm(await bot()) ?? bot(),
    identityProviders: createIdentityProviders(config.ops),
    sampleCurl: `curl ${formUrl} -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE_FORM)}'`,
    sandbox: room ? { room, emails: caught.sent } : null,
    inbox: (key) => {
      const form = key === undefined ? forms.of(key) : forms.find(key)
      return form && {
        rules: { ...config.form, allowedOrigins: config.forms[key ?? '']?.allowedOrigins ?? config.form.allowedOrigins },
        accept: async (read, sender) => {
          await clock.known()
          return accept(read, sender, form, incoming)
        },
      }
    },
    opsSubmissions: new OpsSubmissions({ store, board, review: reviewAt('everywhere'), outbox, quarantine: new Quarantine({ store, outbox, poster, presentation, runtime, log }), presentation, runtime }),
    sweep: async () => {
      poster.wake()
      // Also when the rest fails: this is how the status knows since when.
      const checked = storage.check()
      if (!postedAgain && !config.serverless) {
        for (const id of await store.stuck(STUCK_AT_START)) await outbox.postAgain(id)
        postedAgain = true
      }
      const [taken] = await Promise.all([sweep({ store, outbox, wake: rooms => poster.wake(rooms), leaseMs, runtime, log }), agent?.sweep(bot), sweepMessages(messages, leaseMs, started), checked])
      return taken
    },
    setup: () => readSetup(config),
    stopConversations: () => {
      running?.answers.stop()
      agent?.stop()
    },
    listener: key => listeners.find(({ platform }) => platform === key) ?? null,
    listeners,
    slackManifest: manifestOf(config),
    slackInstall: createSlackInstall(config, bot, log),
    webhook: (name) => {
      const key = platformByName(name)?.key
      const connection = connections.find(({ platform }) => platform.key === key)
      if (!connection) return null
      const { platform, fromPages } = connection
      return {
        fromPages: fromPages !== undefined,
        handle: (request, viewer) => {
          if (viewer && config.ops.canSignIn) fromPages?.sentBy(request, viewer)
          return handleWebhook(platform.key, request, bot, monitor, log)
        },
      }
    },
  }
}
