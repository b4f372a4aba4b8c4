import { sdkLogger } from '../../server/platforms/shared/logger'
import { FormWhatsAppAdapter } from '../../server/platforms/whatsapp/adapter'
import { silentLog } from '../fakes/runtime'
import type { WhatsApp } from './whatsapp'

/** Our adapter, connected to the double */
export function adapterOf({ env, url: apiUrl }: WhatsApp, chatIds: string[] = [], log = silentLog) {
  return new FormWhatsAppAdapter({
    accessToken: env.WHATSAPP_ACCESS_TOKEN!, appSecret: env.WHATSAPP_APP_SECRET!, chatId: env.WHATSAPP_CHAT_ID!,
    verifyToken: env.WHATSAPP_VERIFY_TOKEN!, phoneNumberId: env.WHATSAPP_PHONE_NUMBER_ID!, chatIds, apiUrl,
  }, sdkLogger(log))
}
