import { TelegramAdapter, type TelegramRawMessage } from '@chat-adapter/telegram'
import type { AdapterPostableMessage, Logger, Message, RawMessage } from 'chat'
import { telegramRefusal } from './refusals'

export interface TelegramSettings {
  botToken: string
  secretToken: string
  /** Group, channel or direct chat of the cards. */
  chatId: string
  apiUrl?: string
}

/** Messages that are remembered, of all chats together; Telegram has no way to ask for earlier ones. */
const REMEMBERED = 1000

/**
 * Bound of a call that writes, ms. Whoever calls waits no longer: an edit that came later still would undo the one
 * after it.
 */
const WRITE_TIMEOUT_MS = 10_000

/** Telegram through the SDK, without previews of links, for which Telegram would ask the link's server. */
export class FormTelegramAdapter extends TelegramAdapter {
  /** Ids, the longest unheard of first. */
  private readonly remembered = new Set<string>()

  constructor({ botToken, secretToken, apiUrl }: TelegramSettings, logger: Logger) {
    super({ botToken, secretToken, apiUrl, logger, mode: 'webhook', allowUnverifiedWebhooks: false })
  }

  /** https://core.telegram.org/bots/api#getchatmember, which refuses to tell of people whom it does not know. */
  async isMember(chatId: string, userId: string): Promise<boolean> {
    const asked = this.telegramFetch<{ status: string, is_member?: boolean }>(
      'getChatMember', { chat_id: chatId, user_id: Number(userId) },
    )
    const { status, is_member: isMember } = await asked.catch((error: Error) => {
      if (error.name === 'ValidationError') return { status: 'left', is_member: false }
      throw error
    })
    return ['creator', 'administrator', 'member'].includes(status) || (status === 'restricted' && isMember === true)
  }

  /** The SDK remembers whatever is posted or said, by strangers too, for as long as the process lives. */
  protected override cacheMessage(message: Message<TelegramRawMessage>): void {
    super.cacheMessage(message)
    this.remembered.delete(message.id)
    this.remembered.add(message.id)
    for (const oldest of this.remembered) {
      if (this.remembered.size <= REMEMBERED) break
      this.remembered.delete(oldest)
      this.deleteCachedMessage(oldest)
    }
  }

  /** A message that reads so already was edited before: its answer got lost. */
  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<TelegramRawMessage>> {
    return super.editMessage(threadId, messageId, message).catch((error: Error) => {
      if (!/message is not modified/i.test(error.message)) throw error
      return { id: messageId, threadId, raw: {} as TelegramRawMessage }
    })
  }

  /** https://core.telegram.org/bots/api#linkpreviewoptions; methods that know no previews ignore it. */
  protected override telegramFetch<T>(
    ...[method, payload, request]: Parameters<TelegramAdapter['telegramFetch']>
  ): Promise<T> {
    const writes = /^(?:send(?!ChatAction)|edit)/.test(method) && !(payload instanceof FormData)
    if (!writes) return super.telegramFetch<T>(method, payload, request)
    return super.telegramFetch<T>(method, { ...payload, link_preview_options: { is_disabled: true } }, {
      signal: AbortSignal.timeout(WRITE_TIMEOUT_MS), ...request,
    })
  }

  /** The SDK's errors keep the kind of a refusal, of which Telegram says more. */
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
