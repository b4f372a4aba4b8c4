import { withinOrNull } from '../../shared/utils/time'
import { createBoard } from '../adapters/chat/board'
import { located } from '../adapters/chat/late-room'
import { superviseListener } from '../adapters/chat/listener-supervisor'
import { createPlaces } from '../adapters/chat/places'
import { createResendNotices } from '../adapters/email/notices'
import { createResendMailer } from '../adapters/email/resend'
import { createOutboxMailer } from '../adapters/embedded/outbox-mailer'
import { createHttpClient, NOT_PROXIED, obeyProxy } from '../adapters/http/client'
import { createTurnstile } from '../adapters/turnstile/turnstile'
import { checkNames, LOCAL_SITE, type Config } from '../config'
import { missingSettings, unusualSettings } from '../config/missing'
import { whoDecides } from '../config/people'
import { Membership } from '../domain/conversation/membership'
import { createMonitor } from '../domain/operations/monitor'
import { PasswordGuesses } from '../domain/operations/password-guesses'
import { Storage } from '../domain/operations/readiness'
import { People } from '../domain/people/people'
import { admitPerson, Reviewers } from '../domain/people/reviewers'
import { type AcceptPorts, enter, Quota } from '../domain/intake/intake'
import { CardQueue } from '../domain/cards/card-queue'
import { Decisions } from '../domain/review/decisions'
import { jsonSchemaOf } from '../domain/fields/fields'
import { HeldNotice } from '../domain/cards/quarantine-notice'
import { OpsSubmissions } from '../domain/queries/ops-submissions'
import { Outbox } from '../domain/outbox/outbox'
import { orUnavailable } from '../domain/queries/rows'
import { isRoom } from '../domain/review/scope'
import { deliveriesOf, type Presentation } from '../domain/cards/card-view'
import { Quarantine } from '../domain/review/quarantine'
import { Receipts } from '../domain/outbox/receipts'
import { Retries } from '../domain/outbox/retries'
import { RoomSubmissions } from '../domain/queries/room-submissions'
import { postRefusedAgain, sweep } from '../domain/outbox/sweep'
import { resumeStalled } from '../handlers/answer-queue'
import { background, keepAlive } from '../http/background'
import { createBodyReader } from '../http/body/body'
import { detached } from '../http/errors'
import { whyClosed } from '../http/auth/viewer'
import type { Connection } from '../platforms/connection'
import { platforms } from '../platforms/registry'
import type { Scope } from '../ports/board'
import type { Mailer } from '../ports/delivery'
import type { Log, Runtime } from '../ports/runtime'
import type { Person } from '../ports/submission'
import { createAgentConversation } from './agent'
import { startBot, type Bot } from './bot'
import { bodyLimitsOf, createFiles, openStore, type Stores } from './stores'
import { createForms, rulesOf, sampleUpload } from './forms'
import { memoizeAsync } from '../../shared/utils/turns'
import { createUpkeep } from './operations'
import { platformServices } from './platforms'
import type { Services } from './services'

/** Sample form that the demo sends and the sandbox suggests. */
const SAMPLE_FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.',
}

/** Replacements for parts of a deployment, for tests. */
export interface Overrides {
  stores?: Partial<Stores>
  runtime?: Partial<Runtime>
  mailer?: Mailer
}

/** Wires one set of services; nothing runs before it is asked to. */
export function compose(config: Config, log: Log, overrides: Overrides = {}): Services {
  const {
    store, id: storeId, queues, drafts, installations, limiter, uploads, signIns, guesses, tests, testReceipts, health,
    questions, approvals, messages, state, clock, confirmations, advice, close,
  } = { ...openStore(config, log), ...overrides.stores }
  const runtime = { ...createRuntime(clock.now), ...overrides.runtime }
  const metrics = config.ops.metricsToken
    ? import('../adapters/metrics/prometheus').then(({ createPrometheus }) => createPrometheus())
    : null
  const monitor = createMonitor({
    health, metrics, now: runtime.now, log, recovered: (...outage) => retries.recovered(...outage),
  })
  const proxied = config.proxy && obeyProxy(config.proxy)
  const http = createHttpClient({ proxied })
  const caught = createOutboxMailer(() => rooms?.changed())
  const isCardOf = async (id: string, messageId: string) => (
    (await store.get(id))?.cards.some(card => card.messageId === messageId) ?? false
  )
  const tools = { log, http, siteUrl: config.siteUrl, isCardOf, drafts }
  const connections = platforms.flatMap(({ key, connect }): Connection[] => (
    key in config.platforms ? [located(connect(config.platforms[key], tools), installations)] : []
  ))
  const rooms = connections.find(({ embedded }) => embedded)?.embedded
  const { apiKey, baseUrl } = config.mail
  const mailer = overrides.mailer ?? (apiKey ? createResendMailer({ apiKey, baseUrl }, http) : caught)
  const forms = createForms(config, http, connections)
  const deliveries = [...new Set(forms.all.flatMap(deliveriesOf))]
  // Don't link to closed pages: they answer 403 to everybody.
  const pagesUrl = whyClosed(config) ? null : config.siteUrl
  const files = createFiles(config, storeId, monitor, { store, limiter: uploads, runtime, log })
  const presentation: Presentation = { siteUrl: pagesUrl, forms, files }
  const people = new People(config.people.aliases)

  const formUrl = `${config.siteUrl ?? ''}/api/form`
  const unusual = unusualSettings(config)
  const missing = [
    ...missingSettings(config), ...config.proxy && !proxied ? [NOT_PROXIED] : [], ...checkNames(), ...unusual,
  ]
  const decides = whoDecides(config.people, config.forms)

  const { leaseMs } = config.retry
  let running: Bot | undefined
  const started = memoizeAsync(async () => running = await startBot({
    connections, places, state, log, chat, takes: config.people.claimMs !== null, agent, audience, messages, leaseMs,
    settings: config.agent,
  }))
  const bot = async () => (await started()).chat
  const places = createPlaces(connections)
  const board = createBoard(connections, bot, log, config.cardIntervalMs)
  const queue = new CardQueue({
    queues, board, forms, post: (...card) => outbox.post(...card), policy: config.retry, overviewUrl: pagesUrl,
    runtime, log,
  })
  const renderEmail = memoizeAsync(async () => (await import('../adapters/email/template')).renderEmail)
  const outbox: Outbox = new Outbox({
    store, board, queue, mailer, presentation, files, runtime, monitor, log, policy: config.retry,
    cardDataMs: config.cardDataMs, mail: config.mail, confirmations, ended: id => agent?.forget(id, bot),
    template: renderEmail,
  })
  const reviewers = new Reviewers({ board, people, runtime, monitor, log })
  const decisions = new Decisions({
    store, outbox, board, reviewers, presentation, revocableMs: config.revocableMs,
    claimMs: config.people.claimMs ?? 0, runtime, monitor, log,
  })
  const chat = {
    store, outbox, board, presentation, platforms: connections.map(({ platform }) => platform.label), runtime, people,
    reviewers, decisions, installations, queue, health, monitor, log,
  }
  const submissionsAt = (place: Scope) => new RoomSubmissions({ store, board, decisions, presentation }, place)
  const agent = createAgentConversation({
    config, connections, places, people, forms, approvals, submissionsAt, decisions, runtime, monitor, log,
  })
  const membership = new Membership({ board, rooms: forms.rooms, runtime, log })
  const audience = {
    isRoom: (place: Scope) => isRoom(place, forms),
    isMember: (platform: string, person: Person) => membership.of(platform, person), limiter: questions,
  }

  const listeners = connections.flatMap(connection => (
    superviseListener(connection, {
      bot, siteUrl: config.siteUrl ?? LOCAL_SITE, background, leaseMs: leaseMs / 2, log,
    }) ?? []
  ))
  const incoming: AcceptPorts = {
    quota: limiter && new Quota(limiter, runtime.now),
    screening: {
      honeypot: config.form.honeypot,
      humanCheck: config.form.turnstile ? createTurnstile(config.form.turnstile, http) : null,
      log,
    },
    files, intake: { store, outbox, queue, leaseMs, runtime, monitor, log },
  }

  const [bodyLimits, storage] = [bodyLimitsOf(config), new Storage({ check: () => store.check(), advice }, runtime.now)]
  const { operations, testEmail, testCards, setup } = createUpkeep({
    config, missing, decides, warnings: unusual, store, storage, board, health, clock, metrics, deliveries, listeners,
    forms, mailer, receipts: testReceipts, limiter: tests, runtime, monitor, log,
  })
  const shared = { store, outbox, reviewers, presentation, runtime, log }
  const opsSubmissions = new OpsSubmissions({
    ...shared, board, decisions, revocableMs: config.revocableMs,
    quarantine: new Quarantine({ ...shared, tellsErasures: config.endpoint.tellsErasures, files }),
  })
  const sweepDue = () => sweep({ ...shared, leaseMs })
  const retries: Retries = new Retries({
    ...shared, queue, submissions: opsSubmissions, health, vendors: [...board.platforms, ...deliveries], forms,
    sweep: sweepDue, policy: config.retry,
  })
  const heldNotice = new HeldNotice({ store, queues, board, presentation, runtime, log })
  const postAgain = memoizeAsync(() => postRefusedAgain({ store, outbox }))

  return {
    config, log, missing, decides, store, signIns, operations, testEmail, testCards, close, formUrl,
    guesses: new PasswordGuesses({ limiter: guesses, runtime, monitor, log }),
    admit: person => admitPerson(person, { people, reviewers, forms, viewers: config.people.viewers }),
    files, bodyLimits, readBody: createBodyReader(bodyLimits),
    load: () => Promise.all([
      // The bot starts as with the first webhook: its adapters ask their platforms for the bot's identity.
      bot().then(chat => Promise.all([chat.initialize(), agent?.loadModel(chat)])),
      renderEmail(), apiKey && import('resend'), config.endpoint.signingSecret && import('standardwebhooks'),
    ]),
    identityProviders: platforms.flatMap(({ key, signIn }) => signIn && key in config.ops.platforms
      ? [signIn.provider(config.ops.platforms[key], http)]
      : []),
    sampleCurl: `curl ${formUrl} -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE_FORM)}'`,
    sampleUpload: sampleUpload(config.forms),
    sandbox: rooms ? { rooms, emails: caught.sent } : null,
    inbox: (key) => {
      const form = key === undefined ? forms.of(key) : forms.find(key)
      return form && {
        rules: rulesOf(key, config),
        schema: () => jsonSchemaOf(form),
        enter: async (sender) => {
          await clock.known()
          return enter(sender, form, incoming)
        },
      }
    },
    opsSubmissions, retries,
    receipts: config.mail.receipts
      ? new Receipts({
          notices: createResendNotices(config.mail.receipts.secret), testEmail, store, outbox, runtime, monitor, log,
        })
      : null,
    sweep: async () => {
      queue.wake()
      // Check the store even if the rest fails: the status page shows since when it is down.
      const checked = storage.check()
      files.sweep()
      if (!config.serverless) await orUnavailable(postAgain())
      const others = Promise.all([
        agent?.sweep(bot), resumeStalled(messages, leaseMs, started, runtime), heldNotice.tell(), checked,
      ])
      others.catch(() => { /* If the store is down, nothing awaits them. */ })
      const taken = await orUnavailable(sweepDue())
      await others
      return taken
    },
    setup,
    stopQueues: () => {
      queue.stop()
      running?.answers.stop()
      agent?.stop()
    },
    listeners,
    ...platformServices({ config, connections, listeners, bot, runtime, monitor, log }),
  }
}

/** @param now time by the store's clock, epoch ms */
function createRuntime(now: () => number): Runtime {
  return {
    now, random: Math.random, background, keepAlive,
    uuid: () => crypto.randomUUID(),
    wait: ms => new Promise(resolve => setTimeout(resolve, ms)),
    turn: () => new Promise(resolve => setImmediate(resolve)),
    within: async (task, ms) => void await withinOrNull(ms, task),
    detached,
  }
}
