import { superviseListener } from '../adapters/chat/listener-supervisor'
import { createPlaces } from '../adapters/chat/places'
import { checkNames, LOCAL_SITE, type Config } from '../config'
import { missingSettings, unusualSettings } from '../config/missing'
import { whoDecides } from '../config/people'
import { createMonitor } from '../domain/operations/monitor'
import { Storage } from '../domain/operations/readiness'
import { People } from '../domain/people/people'
import { deliveriesOf, type Presentation } from '../domain/cards/card-view'
import { Receipts } from '../domain/outbox/receipts'
import { RoomSubmissions } from '../domain/queries/room-submissions'
import { resumeStalled } from '../handlers/answer-queue'
import { createBodyReader } from '../http/body/body'
import { whyClosed } from '../http/auth/viewer'
import type { Scope } from '../ports/board'
import type { Mailer } from '../ports/delivery'
import type { Log, Runtime } from '../ports/runtime'
import { createAgentConversation, createAudience } from './agent'
import { startBot, type Bot } from './bot'
import { createDueWork } from './due-work'
import { bodyLimitsOf, createFiles, openStore, type Stores } from './stores'
import { createForms, createInbox, sampleUpload } from './forms'
import { textsIn } from '../../shared/texts'
import { memoizeAsync } from '../../shared/utils/turns'
import { createUpkeep } from './operations'
import { createPages } from './pages'
import { platformServices } from './platforms'
import { createRuntime } from './runtime'
import type { Services } from './services'
import { createTriage } from './triage'
import { connectVendors } from './vendors'

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
  const { http, connections, mailer, ...vendors } = connectVendors({
    config, log, store, drafts, installations, mailer: overrides.mailer,
  })
  const forms = createForms(config, http, connections)
  const deliveries = [...new Set(forms.all.flatMap(deliveriesOf))]
  // Don't link to closed pages: they answer 403 to everybody.
  const pagesUrl = whyClosed(config) ? null : config.siteUrl
  const files = createFiles(config, storeId, monitor, { store, limiter: uploads, runtime, log })
  const presentation: Presentation = { siteUrl: pagesUrl, forms, files, texts: textsIn(config.locale) }
  const people = new People(config.people.aliases)

  const formUrl = `${config.siteUrl ?? ''}/api/form`
  const unusual = unusualSettings(config)
  const missing = [...missingSettings(config), ...vendors.problems, ...checkNames(), ...unusual]
  const decides = whoDecides(config.people, config.forms)

  const { leaseMs } = config.retry
  let running: Bot | undefined
  const started = memoizeAsync(async () => running = await startBot({
    connections, places, state, log, chat, takes: config.people.claimMs !== null, agent, audience, messages, leaseMs,
    settings: config.agent,
  }))
  const bot = async () => (await started()).chat
  const places = createPlaces(connections)
  const renderEmail = memoizeAsync(async () => (await import('../adapters/email/template')).renderEmail)
  const { board, queue, outbox, reviewers, decisions } = createTriage({
    config, connections, bot, people, presentation, store, queues, confirmations, mailer, files,
    template: renderEmail, ended: id => agent?.forget(id, bot), runtime, monitor, log,
  })
  const chat = {
    store, outbox, board, presentation, platforms: connections.map(({ platform }) => platform.label), runtime, people,
    reviewers, decisions, installations, queue, health, monitor, log,
  }
  const submissionsAt = (place: Scope) => new RoomSubmissions({ store, board, decisions, presentation }, place)
  const agent = createAgentConversation({
    config, connections, places, people, forms, approvals, submissionsAt, decisions, runtime, monitor, log,
  })
  const audience = createAudience({ board, forms, limiter: questions, runtime, log })

  const listeners = connections.flatMap(connection => (
    superviseListener(connection, {
      bot, siteUrl: config.siteUrl ?? LOCAL_SITE, background: runtime.background, leaseMs: leaseMs / 2, log,
    }) ?? []
  ))
  const [bodyLimits, storage] = [bodyLimitsOf(config), new Storage({ check: () => store.check(), advice }, runtime.now)]
  const { operations, testEmail, testCards, setup } = createUpkeep({
    config, missing, decides, warnings: unusual, store, storage, board, health, clock, metrics, deliveries, listeners,
    forms, mailer, receipts: testReceipts, limiter: tests, runtime, monitor, log,
  })
  const shared = { store, outbox, reviewers, presentation, runtime, log }
  const pages = createPages({ ...shared, config, board, decisions, files, people, monitor, guesses })
  const { retries, sweep } = createDueWork({
    ...shared, board, queues, queue, health, leaseMs, storage, files, forms, submissions: pages.opsSubmissions,
    vendors: [...board.platforms, ...deliveries], policy: config.retry, serverless: config.serverless,
    sweepBot: () => [agent?.sweep(bot), resumeStalled(messages, leaseMs, started, runtime)],
  })

  return {
    config, log, missing, decides, store, signIns, operations, testEmail, testCards, close, formUrl,
    ...pages,
    files, bodyLimits, readBody: createBodyReader(bodyLimits),
    load: () => Promise.all([
      // The bot starts as with the first webhook: its adapters ask their platforms for the bot's identity.
      bot().then(chat => Promise.all([chat.initialize(), agent?.loadModel(chat)])),
      renderEmail(),
      config.mail.apiKey && import('resend'), config.endpoint.signingSecret && import('standardwebhooks'),
    ]),
    identityProviders: vendors.identityProviders,
    sampleCurl: `curl ${formUrl} -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE_FORM)}'`,
    sampleUpload: sampleUpload(config.forms),
    sandbox: vendors.sandbox,
    inbox: createInbox({
      config, forms, limiter, clock, files, humanCheck: vendors.humanCheck, store, outbox, queue, runtime, monitor, log,
    }),
    retries,
    receipts: vendors.notices && new Receipts({
      notices: vendors.notices, testEmail, store, outbox, runtime, monitor, log,
    }),
    sweep,
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
