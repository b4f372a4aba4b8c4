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

  /** https://core.telegram.org/bots/api#linkpreviewoptions; methods that know no previews ignore it. */
  protected override telegramFetch<T>(...[method, payload, request]: Parameters<TelegramAdapter['telegramFetch']>): Promise<T> {
    const writes = /^(?:send(?!ChatAction)|edit)/.test(method) && !(payload instanceof FormData)
    return super.telegramFetch<T>(method, writes ? { ...payload, link_preview_options: { is_disabled: true } } : payload, request)
  }
}
