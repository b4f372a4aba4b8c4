import { createBoard } from '../adapters/chat/board'
import { superviseListener } from '../adapters/chat/listener-supervisor'
import { createPlaces } from '../adapters/chat/places'
import { checkNames, LOCAL_SITE, type Config } from '../config'
import { missingSettings, unusualSettings } from '../config/missing'
import { whoDecides } from '../config/people'
import type { Context, Core } from '../domain/context'
import { Quota } from '../domain/intake/intake'
import { createMonitor } from '../domain/operations/monitor'
import { Storage } from '../domain/operations/readiness'
import { Receipts } from '../domain/outbox/receipts'
import { resumeStalled } from '../handlers/answer-queue'
import { handleWebhook } from '../handlers/webhook'
import { createBodyReader } from '../http/body/body'
import { whyClosed } from '../http/auth/viewer'
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

/** Creates one set of services; starts nothing yet. */
export function compose(config: Config, log: Log, overrides: Overrides = {}): Services {
  const stores = { ...openStore(config, log), ...overrides.stores }
  const { store, queues, rests, confirmations, clock, health, limiter, messages, installations } = stores
  const runtime = { ...createRuntime(clock.now), ...overrides.runtime }
  const core: Core = { store, health, runtime, log }
  const metrics = config.ops.metricsToken
    ? import('../adapters/metrics/prometheus').then(({ createPrometheus }) => createPrometheus())
    : null
  const monitor = createMonitor(core, metrics, (...outage) => retries.recovered(...outage))
  const { http, connections, ...vendors } = connectVendors(config, log, stores)
  const files = createFiles(config, stores, core, monitor)
  const renderEmail = memoizeAsync(async () => (await import('../adapters/email/template')).renderEmail)

  let running: Bot | undefined
  const started = memoizeAsync(async () => running = await startBot(context, triage, {
    connections, places, state: stores.state, installations, agent, audience, messages, settings: config.agent,
  }))
  const bot = async () => (await started()).chat
  const places = createPlaces(connections)

  const texts = textsIn(config.locale)
  const { form, mail, retry, people, endpoint, cardDataMs, revocableMs } = config
  const context: Context = {
    ...core, queues, rests, confirmations, clock, monitor, files, mail, cardDataMs, revocableMs,
    board: createBoard(connections, bot, log, config.cardIntervalMs, texts),
    forms: createForms(config, http, connections), texts,
    mailer: overrides.mailer ?? vendors.mailer, template: renderEmail, humanCheck: vendors.humanCheck,
    // Don't link to closed pages: they answer 403 to everybody.
    siteUrl: whyClosed(config) ? null : config.siteUrl,
    honeypot: form.honeypot, policy: retry, claimMs: people.claimMs, tellsErasures: endpoint.tellsErasures,
    tellsFailures: config.alerts.room !== undefined, viewers: people.viewers,
  }
  const triage = createTriage(config, context, id => agent?.forget(id, bot))
  const { outbox } = triage
  const agent = createAgentConversation(context, triage, { config, connections, places, approvals: stores.approvals })
  const audience = createAudience(context, stores.questions)

  const listeners = connections.flatMap(connection => (
    superviseListener(connection, {
      receive: request => handleWebhook(connection.platform.key, request, bot, context),
      bot, siteUrl: config.siteUrl ?? LOCAL_SITE, background: runtime.background, leaseMs: retry.leaseMs / 2, log,
    }) ?? []
  ))
  const warnings = unusualSettings(config)
  const missing = [...missingSettings(config), ...vendors.problems, ...checkNames(), ...warnings]
  const decides = whoDecides(people, config.forms)
  const storage = new Storage(core, stores.advice)
  const { operations, testEmail, testCards, alerts, setup } = createUpkeep(context, {
    config, missing, decides, warnings, storage, metrics, listeners, receipts: stores.testReceipts,
    limiter: stores.tests, alertBook: stores.alerts, http,
  })
  const pages = createPages(context, triage, stores.guesses)
  const { retries, deliveries, sweep } = createDueWork(context, triage, {
    storage, alerts, files, opsSubmissions: pages.opsSubmissions, serverless: config.serverless,
    sweepBot: () => [agent?.sweep(bot), resumeStalled(messages, retry.leaseMs, started, runtime)],
  })
  const bodyLimits = bodyLimitsOf(config)
  const formUrl = `${config.siteUrl ?? ''}/api/form`

  return {
    config, log, missing, decides, store, signIns: stores.signIns, operations, testEmail, testCards, alerts, formUrl,
    ...pages,
    files, bodyLimits, readBody: createBodyReader(bodyLimits),
    load: () => Promise.all([
      // Start the bot as the first webhook would: its adapters then ask their platforms for the bot's identity.
      bot().then(chat => Promise.all([chat.initialize(), agent?.loadModel(chat)])),
      renderEmail(),
      mail.smtp ? import('nodemailer/lib/smtp-connection') : mail.apiKey && import('resend'),
      endpoint.signingSecrets && import('standardwebhooks'),
    ]),
    identityProviders: vendors.identityProviders,
    sampleCurl: `curl ${formUrl} -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE_FORM)}'`,
    sampleUpload: sampleUpload(config.forms),
    sandbox: vendors.sandbox, challenge: vendors.humanCheck?.challenge,
    inbox: createInbox(config, context, { quota: limiter && new Quota(limiter, runtime.now), files, outbox }),
    retries, deliveries,
    receipts: vendors.notices && new Receipts(context, outbox, vendors.notices, testEmail),
    sweep,
    setup,
    stopQueues: () => {
      outbox.queue.stop()
      outbox.rests.stop()
      running?.answers.stop()
      agent?.stop()
    },
    listeners,
    ...platformServices(context, { config, connections, listeners, bot }),
    close: async () => {
      vendors.mailer.close?.()
      await stores.close()
    },
  }
}
