import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { TelegramAdapter, type TelegramRawMessage, type TelegramUpdate } from '@chat-adapter/telegram'
import {
  ThreadHistoryCache, type AdapterPostableMessage, type ChatInstance, type FetchOptions, type FetchResult, type Logger,
  type Message, type RawMessage,
} from 'chat'
import { COMMAND, COMMANDS } from '../../../shared/commands'
import { withRetryAfter } from '../shared/patience'
import { speechIn } from '../shared/speech'
import { untilStored } from '../../../shared/stored'
import { cut } from '../../../shared/utils/text'
import { withinOrNull } from '../../../shared/utils/time'
import { tellOnce } from '../shared/tell-once'
import { lengthened, shortened } from './buttons'
import { telegramRefusal } from './refusals'
import { keepTopicOnly } from './topics'

export interface TelegramSettings {
  botToken: string
  /** Undefined if no webhook is accepted. */
  secretToken?: string
  /** True if updates are fetched instead of coming as webhooks. */
  polling?: boolean
  /** Group, channel or direct chat of the default form's cards, or `chat/topic`; undefined if Telegram has none. */
  chatId?: string
  apiUrl?: string
}

/** Maximum number of remembered messages of all chats together; Telegram has no call for earlier messages. */
const MAX_REMEMBERED = 1000

/** Timeout of a call that writes, ms: an edit that arrives late would undo a newer one. */
const WRITE_TIMEOUT_MS = 10_000

/**
 * Longest pause before a message is sent again, ms. A group takes 20 messages a minute, cards included:
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this.
 */
const LONGEST_PAUSE_MS = 60_000

/** Maximum length of an alert (https://core.telegram.org/bots/api#answercallbackquery). */
const ALERT_LENGTH = 200

/** Maximum time a click waits for a message to its sender, ms. */
const PRESS_TIMEOUT_MS = 2500

/** Time after which an update counts as handled, ms; a webhook is answered even earlier. */
const HANDLING_TIMEOUT_MS = 5000

/** Time for which a fetched update is remembered, ms: Telegram keeps updates for no longer. */
const SEEN_MS = 24 * 3_600_000

/** Click on a button, and the single private answer to it; null for no answer. */
interface Press {
  userId: string
  reply: PromiseWithResolvers<string | null>
  isAnswered: boolean
}

type SentMessage = RawMessage<TelegramRawMessage>

/** Telegram through the SDK, without link previews, for which Telegram would request the link. */
export class FormTelegramAdapter extends TelegramAdapter {
  /** Message ids, least recently seen first. */
  private readonly rememberedIds = new Set<string>()
  private readonly currentPress = new AsyncLocalStorage<Press>()

  constructor({ botToken, secretToken, apiUrl }: TelegramSettings, logger: Logger) {
    super({
      botToken, apiUrl, logger, mode: 'webhook', allowUnverifiedWebhooks: false,
      // Nobody knows this secret: every webhook is refused.
      secretToken: secretToken ?? randomBytes(32).toString('hex'),
    })
  }

  override async initialize(chat: ChatInstance): Promise<void> {
    await super.initialize(chat)
    // https://core.telegram.org/bots/api#setmycommands
    const commands = COMMANDS.map(({ name, about }) => ({ command: name, description: about }))
    const key = `telegram:${this.botUserId ?? ''}:commands`
    tellOnce(chat.getState(), key, { commands }, body => this.telegramFetch('setMyCommands', body)).catch((error) => {
      this.logger.warn('The commands could not be registered with Telegram', { error })
    })
  }

  /** The listener needs the bot's name before it fetches: without it, mentions are not recognized. */
  override ensureBotIdentity(): Promise<void> {
    return super.ensureBotIdentity()
  }

  /**
   * Handles a fetched update as a webhook with it would be. Resolves once it survives a crash. A repetition has no
   * effect: it is noted here only after that, and decisions and answers are compared with earlier ones themselves.
   */
  async receive(update: TelegramUpdate, waitUntil: (task: Promise<unknown>) => void): Promise<void> {
    const [state, key] = [this.chat!.getState(), `telegram:seen:${this.botUserId}:${update.update_id}`]
    if (await state.get(key)) return
    const handling = untilStored(async () => {
      await Promise.all(this.processUpdate(update, { waitUntil, deduplicate: false }) ?? [])
    })
    // The pictures of an album are updates of their own, which wait for each other.
    const isAlbum = update.message?.media_group_id !== undefined
    await withinOrNull(isAlbum ? 0 : HANDLING_TIMEOUT_MS, handling)
    await state.set(key, true, SEEN_MS)
  }

  /** Reads `/pending` as `/forms pending`; unknown commands are ordinary messages. */
  protected override parseSlashCommand(...[message]: Parameters<TelegramAdapter['parseSlashCommand']>) {
    const slashCommand = super.parseSlashCommand(message)
    const name = slashCommand?.command.slice(1).toLowerCase()
    if (!slashCommand || name === COMMAND) return slashCommand
    const isOurs = name === 'start' || COMMANDS.some(command => command.name === name)
    return isOurs ? { command: `/${COMMAND}`, text: `${name} ${slashCommand.text}` } : null
  }

  /**
   * Counts groups as channels. Instead of threads they have topics, which are rooms where only a mention is answered.
   */
  isChannel(threadId: string): boolean {
    return !this.isDM(threadId)
  }

  /** https://core.telegram.org/bots/api#getchatmember, which refuses requests about people it does not know. */
  async isMember(channel: string, userId: string): Promise<boolean> {
    const request = this.telegramFetch<{ status: string, is_member?: boolean }>(
      'getChatMember', { chat_id: channel.split(':')[0], user_id: Number(userId) },
    )
    const { status, is_member: isMember } = await request.catch((error: Error) => {
      if (error.name === 'ValidationError') return { status: 'left', is_member: false }
      throw error
    })
    return ['creator', 'administrator', 'member'].includes(status) || (status === 'restricted' && isMember === true)
  }

  /** Ignores edits, which setWebhook may ask for: after ten minutes the SDK would treat an edit as a new message. */
  protected override processUpdate(...[update, options]: Parameters<TelegramAdapter['processUpdate']>) {
    const { message, channel_post: post, callback_query: query } = update
    for (const each of [message, post, query?.message]) keepTopicOnly(each)
    const isEdit = update.edited_message !== undefined || update.edited_channel_post !== undefined
    return isEdit ? undefined : super.processUpdate(update, options)
  }

  /** Delays the only answer to a click until there is a message for its sender. */
  protected override handleCallbackQuery(
    ...[query, options]: Parameters<TelegramAdapter['handleCallbackQuery']>
  ): Promise<void> | void {
    const press: Press = {
      userId: String(query.from.id), reply: Promise.withResolvers<string | null>(), isAnswered: false,
    }
    const timer = setTimeout(() => answerPress(press, null), PRESS_TIMEOUT_MS)
    const handling = this.currentPress.run(
      press, () => super.handleCallbackQuery({ ...query, data: query.data && lengthened(query.data) }, options),
    )
    void Promise.resolve(handling).catch(() => { /* The SDK has logged it. */ }).finally(() => {
      clearTimeout(timer)
      answerPress(press, null)
    })
    return handling
  }

  /** Answers a click privately, once, while it is handled: Telegram has no other private messages. */
  async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const press = this.currentPress.getStore()
    if (press?.userId !== userId || press.isAnswered) return null
    const text = speechIn(message)?.fallbackText ?? this.formatConverter.renderPostable(message)
    answerPress(press, cut(text, ALERT_LENGTH))
    return { id: '', threadId, usedFallback: false, raw: {} }
  }

  /** Limits the cache: the SDK keeps every message, also of strangers, as long as the process lives. */
  protected override cacheMessage(message: Message<TelegramRawMessage>): void {
    super.cacheMessage(message)
    this.rememberedIds.delete(message.id)
    this.rememberedIds.add(message.id)
    for (const oldestId of this.rememberedIds) {
      if (this.rememberedIds.size <= MAX_REMEMBERED) break
      this.rememberedIds.delete(oldestId)
      this.deleteCachedMessage(oldestId)
    }
  }

  /**
   * Adds stored messages: this process has received only some of them, and the SDK keeps the newest in the store.
   * Messages in memory take precedence, since they are marked if they are cards. Telegram numbers a chat's messages in
   * order.
   */
  override async fetchMessages(
    threadId: string, options: FetchOptions = {},
  ): Promise<FetchResult<TelegramRawMessage>> {
    const { messages: cachedMessages, nextCursor } = await super.fetchMessages(threadId, options)
    if (!this.chat || options.cursor || options.direction === 'forward') return { messages: cachedMessages, nextCursor }
    const storedMessages = await new ThreadHistoryCache(this.chat.getState()).getMessages(threadId)
    const messages = [...storedMessages as typeof cachedMessages, ...cachedMessages]
    const byId = new Map(messages.map(message => [message.id, message]))
    const sorted = [...byId.values()].toSorted((a, b) => this.messageSequence(a.id) - this.messageSequence(b.id))
    return { ...this.paginateMessages(sorted, options), nextCursor }
  }

  /** Counts a reply to the bot as a mention. The replied-to message may be a card, so it is not remembered. */
  protected override parseTelegramMessage(
    ...args: Parameters<TelegramAdapter['parseTelegramMessage']>
  ): Message<TelegramRawMessage> {
    const [message, { reply_to_message: repliedTo }] = [super.parseTelegramMessage(...args), args[0]]
    // A message with buttons is a card, under which people talk to each other.
    const isToUs = repliedTo && String(repliedTo.from?.id) === this.botUserId && !('reply_markup' in repliedTo)
    return Object.assign(message, { replyTo: undefined, isMention: message.isMention || isToUs })
  }

  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<SentMessage> {
    return withRetryAfter(() => this.postAtOnce(threadId, message), LONGEST_PAUSE_MS)
  }

  /** Posts cards and replies to them without waiting for a pause: the outbox retries them. */
  async postAtOnce(threadId: string, message: AdapterPostableMessage, replyTo?: string): Promise<SentMessage> {
    return markCard(message, await super.postMessage(threadId, shortened(message), replyTo))
  }

  override reply(threadId: string, messageId: string, message: AdapterPostableMessage): Promise<SentMessage> {
    return this.postAtOnce(threadId, message, messageId)
  }

  /** Retries edits of growing answers, because the SDK gives up after seconds. The caller retries edits of cards. */
  override editMessage(threadId: string, messageId: string, message: AdapterPostableMessage): Promise<SentMessage> {
    const edit = () => this.editAtOnce(threadId, messageId, message)
    return speechIn(message) ? edit() : withRetryAfter(edit, LONGEST_PAUSE_MS)
  }

  /** Treats "not modified" as success: the message was edited before and the answer got lost. */
  private async editAtOnce(threadId: string, messageId: string, message: AdapterPostableMessage): Promise<SentMessage> {
    const editedMessage = await super.editMessage(threadId, messageId, shortened(message)).catch((error: Error) => {
      if (!/message is not modified/i.test(error.message)) throw error
      return { id: messageId, threadId, raw: {} as TelegramRawMessage }
    })
    return markCard(message, editedMessage)
  }

  /** Turns off previews (https://core.telegram.org/bots/api#linkpreviewoptions); other methods ignore the option. */
  override async telegramFetch<T>(
    ...[method, payload, request]: Parameters<TelegramAdapter['telegramFetch']>
  ): Promise<T> {
    const press = method === 'answerCallbackQuery' ? this.currentPress.getStore() : undefined
    const text = await press?.reply.promise ?? null
    if (text !== null) return super.telegramFetch<T>(method, { ...payload, text, show_alert: true }, request)
    const isWrite = /^(?:send(?!ChatAction)|edit)/.test(method) && !(payload instanceof FormData)
    if (!isWrite) return super.telegramFetch<T>(method, payload, request)
    return keepTopicOnly(await super.telegramFetch<T>(method, {
      ...payload, link_preview_options: { is_disabled: true },
    }, { signal: AbortSignal.timeout(WRITE_TIMEOUT_MS), ...request }))
  }

  /** Adds Telegram's details to the SDK's errors, which keep only the kind of a refusal. */
  protected override throwTelegramApiError(
    ...[method, status, data]: Parameters<TelegramAdapter['throwTelegramApiError']>
  ): never {
    try {
      super.throwTelegramApiError(method, status, data)
    }
    catch (error) {
      throw Object.assign(error as Error, { refusal: telegramRefusal(status, data) })
    }
  }
}

function answerPress(press: Press, text: string | null): void {
  press.isAnswered = true
  press.reply.resolve(text)
}

/** Marks a sent card: Telegram makes it plain text, which would look like the bot's own words. */
function markCard(message: AdapterPostableMessage, sentMessage: SentMessage): SentMessage {
  if (speechIn(message)) Object.assign(sentMessage.raw, { card: true })
  return sentMessage
}
