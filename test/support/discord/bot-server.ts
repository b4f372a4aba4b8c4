import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chat, StateAdapter } from 'chat'
import { createBoard } from '../../../server/adapters/chat/board'
import { createBot } from '../../../server/adapters/chat/bot'
import { createRestBook } from '../../../server/adapters/storage/rests'
import { createSqliteStorage } from '../../../server/adapters/sqlite/storage'
import { SqliteCardQueue } from '../../../server/adapters/sqlite/card-queue'
import { createSqliteDrafts } from '../../../server/adapters/sqlite/drafts'
import { SqliteStore } from '../../../server/adapters/sqlite/store'
import { discord as platform } from '../../../server/platforms/discord/definition'
import { english } from '../../../shared/texts'
import { editModal, noticeModal, sendAgainModal } from '../../../server/adapters/chat/modals'
import { renderAnswer } from '../../../server/adapters/chat/speech'
import { createPlaces } from '../../../server/adapters/chat/places'
import { platformByName } from '../../../server/platforms/registry'
import { createHttpClient } from '../../../server/adapters/http/client'
import { receive } from '../../../server/domain/intake/intake'
import { storeRules } from '../../../server/domain/lifecycle/record'
import { Decisions } from '../../../server/domain/review/decisions'
import { Outbox } from '../../../server/domain/outbox/outbox'
import { CardQueue } from '../../../server/domain/cards/card-queue'
import { People } from '../../../server/domain/people/people'
import { Reviewers } from '../../../server/domain/people/reviewers'
import { registerReview } from '../../../server/handlers/review'
import type { Log } from '../../../server/ports/runtime'
import { testContext } from '../../fakes/context'
import { FakeEndpoint, FakeMailer } from '../../fakes/deliveries'
import { formsOf } from '../../fakes/forms'
import { FakeRuntime } from '../../fakes/runtime'
import { startProxy } from '../proxy'
import { memoryDatabase, memoryLimiter, memoryState } from '../sqlite'
import { until } from '../until'
import { startDiscord } from './discord'
import type { DiscordMessage } from './types'

export type BotServer = Awaited<ReturnType<typeof startBotServer>>

/**
 * Starts two replicas of the bot, connected to the Discord double. They are composed of handlers, domain and store as
 * in `app.ts`.
 */
export async function startBotServer({
  register = () => {}, state = memoryState(),
}: { register?: (bot: Chat) => void, state?: StateAdapter } = {}) {
  const [discord, dir] = await Promise.all([startDiscord(), mkdtemp(join(tmpdir(), 'discord-bot-'))])
  const logged: string[] = []
  const note = (event: string, facts?: Record<string, unknown>) => void logged.push(`${event} ${JSON.stringify(facts)}`)
  const log: Log = { info: note, warn: note, error: note }
  const runtime = Object.assign(new FakeRuntime(), { uuid: () => crypto.randomUUID() })
  const db = memoryDatabase(runtime.now)
  const queues = new SqliteCardQueue(db)
  const drafts = createSqliteDrafts(db)
  const store = new SqliteStore(db, storeRules)
  const { restUrl: apiUrl, botToken, publicKey, applicationId, channelId } = discord
  const connections = [platform.connect(
    { botToken, publicKey, applicationId, channelId, apiUrl },
    { log, http: createHttpClient(), siteUrl: null, isCardOf: async () => false, drafts },
  )]
  const [mailer, endpoint] = [new FakeMailer(), new FakeEndpoint()]
  const forms = formsOf({ rooms: ['discord'], endpoint })
  const board = createBoard(connections, async () => bots[0]!, log, 0)
  const context = testContext({
    store, queues, board, forms, mailer, runtime, log, claimMs: 0,
    confirmations: memoryLimiter({ limit: 3, windowS: 86_400 }), rests: createRestBook(createSqliteStorage(db)),
  })
  const queue = new CardQueue(context, (...card) => outbox.post(...card))
  const outbox: Outbox = new Outbox(context, queue)
  const reviewers = new Reviewers(context, new People())
  const decisions = new Decisions(context, outbox, reviewers)
  const startBot = () => createBot({
    connections, log,
    state: async () => state,
    register: (bot) => {
      const { here, pressOf, namesOf } = createPlaces(connections)
      registerReview(bot, {
        decisions, here, pressOf, editModal, noticeModal, sendAgainModal, texts: english, log,
        render: (answer, key) => renderAnswer(answer, platformByName(key)!),
        platformLabel: key => platformByName(key)?.label ?? key, known: event => ({ names: namesOf(event) }),
      })
      register(bot)
    },
  })
  const bots = await Promise.all([startBot(), startBot()])
  await Promise.all(bots.map(bot => bot.initialize()))

  let requests = 0
  const proxy = await startProxy(({ headers, body }) => {
    const bot = bots[requests++ % bots.length]!
    const request = new Request('http://bot.example.com/api/webhooks/discord', {
      method: 'POST', headers: headers as Record<string, string>, body,
    })
    return bot.webhooks.discord!(request, { waitUntil: task => runtime.background(task) })
  })

  return {
    discord, state, store, drafts, mailer, endpoint, bots,
    /** Logged events */
    logged,
    /** The Interactions Endpoint URL; requests go to the two replicas in turn. */
    url: `${proxy.url}/`,
    /** Receives a form; resolves with its id and its card. */
    submit: async (data: unknown) => {
      const id = await receive(data, forms.of(undefined), context, outbox)
      await runtime.drain()
      return { id, card: await until(`the card of ${id}`, () => discord.cardOf(id)) }
    },
    /** Returns the current version of the card. */
    cardNow: (card: DiscordMessage) => discord.messages().find(({ id }) => id === card.id)!,
    /** Resolves when no background work is left. */
    drain: () => runtime.drain(),
    close: async () => {
      await proxy.close()
      await Promise.all(bots.map(bot => bot.shutdown()))
      await Promise.all([store.close(), discord.close()])
      await rm(dir, { recursive: true })
    },
  }
}
