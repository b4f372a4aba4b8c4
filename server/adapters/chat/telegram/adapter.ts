import { TelegramAdapter } from '@chat-adapter/telegram'
import type { Logger } from 'chat'

export interface TelegramSettings {
  botToken: string
  secretToken: string
  /** Group, channel or direct chat of the cards. */
  chatId: string
  apiUrl?: string
}

/** Telegram through the SDK, without previews of links, for which Telegram would ask the link's server. */
export class FormTelegramAdapter extends TelegramAdapter {
  constructor({ botToken, secretToken, apiUrl }: TelegramSettings, logger: Logger) {
    super({ botToken, secretToken, apiUrl, logger, mode: 'webhook', allowUnverifiedWebhooks: false })
  }

  /** https://core.telegram.org/bots/api#getchatmember, which refuses to tell of people whom it does not know. */
  async isMember(chatId: string, userId: string): Promise<boolean> {
    const asked = this.telegramFetch<{ status: string, is_member?: boolean }>('getChatMember', { chat_id: chatId, user_id: Number(userId) })
    const { status, is_member: isMember } = await asked.catch((error: Error) => {
      if (error.name === 'ValidationError') return { status: 'left', is_member: false }
      throw error
    })
    return ['creator', 'administrator', 'member'].includes(status) || (status === 'restricted' && isMember === true)
  }

  /** https://core.telegram.org/bots/api#linkpreviewoptions; methods that know no previews ignore it. */
  protected override telegramFetch<T>(...[method, payload, request]: Parameters<TelegramAdapter['telegramFetch']>): Promise<T> {
    const writes = /^(?:send(?!ChatAction)|edit)/.test(method) && !(payload instanceof FormData)
    return super.telegramFetch<T>(method, writes ? { ...payload, link_preview_options: { is_disabled: true } } : payload, request)
  }
}
