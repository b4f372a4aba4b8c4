import { sdkLogger } from '../../server/platforms/shared/logger'
import { FormTelegramAdapter } from '../../server/platforms/telegram/adapter'
import { silentLog } from '../fakes/runtime'
import type { Telegram } from './telegram'

/** Our adapter, connected to the double */
export function adapterOf({ env, url }: Telegram): FormTelegramAdapter {
  return new FormTelegramAdapter({
    botToken: env.TELEGRAM_BOT_TOKEN!, secretToken: env.TELEGRAM_WEBHOOK_SECRET_TOKEN!, chatId: env.TELEGRAM_CHAT_ID!,
    apiUrl: url,
  }, sdkLogger(silentLog))
}
