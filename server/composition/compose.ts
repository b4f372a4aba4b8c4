import { createBoard } from '../adapters/chat/board'
import { superviseListener } from '../adapters/chat/listener-supervisor'
import { createPlaces } from '../adapters/chat/places'
import { createResendMailer } from '../adapters/email/resend'
import { createOutboxMailer } from '../adapters/embedded/outbox-mailer'
import { createHttpClient } from '../adapters/http/client'
import { createTurnstile } from '../adapters/turnstile/turnstile'
import { createAgentConversation } from './agent'
import { startBot, type Bot } from './bot'
import { createMonitor } from '../domain/operations/monitor'
import { createOperations } from './operations'
import { createForms } from './forms'
import { once } from './once'
import { readSetup } from './setup'
import { openStore, type Stores } from './stores'
import { createRuntime } from './runtime'
import type { Services } from './services'
import { LOCAL_SITE, type Config } from '../config'
import { missingSettings } from '../config/missing'
import { ChatCommands } from '../domain/conversation/commands'
import { Membership } from '../domain/conversation/membership'
import { Storage } from '../domain/operations/readiness'
import { accept, type AcceptPorts, Quota } from '../domain/submission/accept'
import { RoomSubmissions } from '../domain/submission/room-submissions'
import { isRoom } from '../domain/submission/place'
import { OpsSubmissions } from '../domain/submission/ops-submissions'
import { CardQueue } from '../domain/submission/card-queue'
import { Outbox } from '../domain/submission/outbox'
import { deliveriesOf, type Presentation } from '../domain/submission/present'
import { Quarantine } from '../domain/submission/quarantine'
import { Review } from '../domain/submission/review'
import { postRefusedAgain, sweep } from '../domain/submission/sweep'
import { resumeStalled } from '../handlers/answer-queue'
import { handleWebhook } from '../handlers/webhook'
import { background } from '../http/background'
import { createBodyReader } from '../http/body'
import { whyClosed } from '../http/viewer'
import type { Connection } from '../platforms/connection'
import { platformByName, platforms } from '../platforms/registry'
import type { Place } from '../ports/board'
import type { Mailer } from '../ports/delivery'
import type { Log, Runtime } from '../ports/runtime'

/** What the demo sends and the sandbox suggests. */
const SAMPLE_FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.',
}

/** What tests may put in the place of what a deployment uses. */
export interface Overrides {
  stores?: Partial<Stores>
  runtime?: Partial<Runtime>
  mailer?: Mailer
}

/** Wires one set of services; nothing runs before it is asked to. */
export function compose(config: Config, log: Log, overrides: Overrides = {}): Services {
  const {
    store, queues, limiter, signIns, health, questions, approvals, messages, state, clock, advice: storeAdvice, close,
  } = { ...openStore(config, log), ...overrides.stores }
  const runtime = { ...createRuntime(clock.now), ...overrides.runtime }
  const http = createHttpClient()
  const caught = createOutboxMailer(() => room?.changed())
  const connectionOf = (key: string | undefined) => connections.find(({ platform }) => platform.key === key)
  const connections = platforms.flatMap(({ key, connect }): Connection[] => (
    key in config.platforms ? [connect(config.platforms[key], { log, http, siteUrl: config.siteUrl })] : []
  ))
  const room = connections.find(({ embedded }) => embedded)?.embedded
  const { apiKey, baseUrl } = config.mail
  const mailer = overrides.mailer ?? (apiKey ? createResendMailer({ apiKey, baseUrl }, http) : caught)
  const forms = createForms(config, http, connections.map(({ platform }) => platform.key))
  const deliveries = [...new Set(forms.all.flatMap(deliveriesOf))]
  // A page that answers 403 to everybody is not linked to.
  const pagesUrl = whyClosed(config) ? null : config.siteUrl
  const presentation: Presentation = { siteUrl: pagesUrl, forms }

  const formUrl = `${config.siteUrl ?? ''}/api/form`
  const missing = missingSettings(config)

  const metrics = config.ops.metricsToken
    ? import('../adapters/metrics/prometheus').then(({ createPrometheus }) => createPrometheus())
    : null
  const monitor = createMonitor(health, metrics, runtime.now)
  const { leaseMs } = config.retry
  let running: Bot | undefined
  const started = once(async () => running = await startBot({
    connections, places, state, log, reviewAt, commands, agent, audience, messages, leaseMs, settings: config.agent,
  }))
  const bot = async () => (await started()).chat
  const places = createPlaces(connections)
  const board = createBoard(connections, bot, log, config.cardIntervalMs)
  const queue = new CardQueue({
    queues, store, board, forms, run: (...work) => outbox.run(...work), policy: config.retry, overviewUrl: pagesUrl,
    runtime, log,
  })
  const outbox: Outbox = new Outbox({
    store, board, queue, mailer, presentation, runtime, monitor, log, policy: config.retry, mail: config.mail,
    template: once(async () => (await import('../adapters/email/template')).renderEmail),
  })
  const reviewAt = (place: Place) => new Review({ store, outbox, board, presentation, runtime, monitor, log }, place)
  const commands = new ChatCommands({
    store, outbox, board, presentation, platforms: connections.map(({ platform }) => platform.label), runtime,
  })
  const submissionsAt = (place: Place) => new RoomSubmissions(
    { store, board, review: reviewAt(place), presentation }, place,
  )
  const agent = createAgentConversation({
    config, connections, places, forms, approvals, submissionsAt, runtime, monitor, log,
  })
  const membership = new Membership({ board, rooms: forms.rooms, runtime, log })
  const audience = {
    isRoom: (place: Place) => isRoom(place, forms),
    isMember: (platform: string, userId: string) => membership.of(platform, userId), limiter: questions,
  }

  const listeners = connections.flatMap(connection => (
    superviseListener(connection, { bot, siteUrl: config.siteUrl ?? LOCAL_SITE, background, log }) ?? []
  ))
  const incoming: AcceptPorts = {
    quota: limiter && new Quota(limiter, runtime.now),
    screening: {
      honeypot: config.form.honeypot, humanCheck: config.form.turnstile ? createTurnstile(config.form.turnstile) : null,
      log,
    },
    intake: { store, outbox, queue, leaseMs, runtime, monitor, log },
  }

  const storage = new Storage(store, runtime.now)
  const operations = createOperations({
    config, missing, store, storage, board, health, clock, storeAdvice, metrics, deliveries, listeners, runtime, log,
  })

  const postAgain = once(() => postRefusedAgain({ store, outbox }))

  return {
    config, log, missing, store, signIns, operations, close, formUrl,
    readBody: createBodyReader({
      ...config.bodies, largestForm: config.maxBodyBytes, trustedProxies: config.form.trustedProxies,
    }),
    warm: async () => agent?.warm(await bot()) ?? bot(),
    identityProviders: platforms.flatMap(({ key, signIn }) => signIn && key in config.ops.platforms
      ? [signIn.provider(config.ops.platforms[key])]
      : []),
    sampleCurl: `curl ${formUrl} -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE_FORM)}'`,
    sandbox: room ? { room, emails: caught.sent } : null,
    inbox: (key) => {
      const form = key === undefined ? forms.of(key) : forms.find(key)
      return form && {
        rules: {
          ...config.form, allowedOrigins: config.forms[key ?? '']?.allowedOrigins ?? config.form.allowedOrigins,
        },
        accept: async (read, sender) => {
          await clock.known()
          return accept(read, sender, form, incoming)
        },
      }
    },
    opsSubmissions: new OpsSubmissions({
      store, board, review: reviewAt('everywhere'), outbox,
      quarantine: new Quarantine({ store, outbox, queue, presentation, runtime, log }), presentation, runtime,
    }),
    sweep: async () => {
      queue.wake()
      // Also when the rest fails: this is how the status knows since when.
      const checked = storage.check()
      if (!config.serverless) await postAgain()
      const [taken] = await Promise.all([
        sweep({ store, outbox, queue, leaseMs, runtime, log }), agent?.sweep(bot),
        resumeStalled(messages, leaseMs, started, runtime), checked,
      ])
      return taken
    },
    setup: () => readSetup(config),
    stopConversations: () => {
      running?.answers.stop()
      agent?.stop()
    },
    listeners,
    platform: (key) => {
      const definition = platforms.find(platform => platform.key === key)
      if (!definition) return null
      const { siteUrl, platforms: { [key]: settings } } = config
      const { manifest } = definition
      const install = connectionOf(key)?.install
      return {
        definition,
        manifest: manifest && siteUrl !== null ? variant => manifest(siteUrl, settings, variant) : null,
        listener: listeners.find(({ platform }) => platform === key) ?? null,
        install: install ? { ...install, finish: code => install.finish(code, bot) } : null,
      }
    },
    webhook: (name) => {
      const definition = platformByName(name)
      const connection = connectionOf(definition?.key)
      if (!connection) return null
      const { platform, embedded } = connection
      return {
        fromPages: embedded !== undefined,
        takesGet: definition?.verifiesWebhook === true,
        handle: (request, viewer) => {
          if (viewer && config.ops.canSignIn) embedded?.introduce(request, viewer)
          return handleWebhook(platform.key, request, bot, { runtime, monitor, log })
        },
      }
    },
  }
}
