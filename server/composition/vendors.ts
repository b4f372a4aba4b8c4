import { createAltcha } from '../adapters/altcha/altcha'
import { located } from '../adapters/chat/late-room'
import { createResendNotices } from '../adapters/email/notices'
import { createFallback } from '../adapters/email/fallback'
import { createResendMailer } from '../adapters/email/resend'
import { createOutboxMailer } from '../adapters/email/kept-emails'
import { createSmtpMailer } from '../adapters/email/smtp'
import { createHttpClient, NOT_PROXIED, obeyProxy } from '../adapters/http/client'
import { createTurnstile } from '../adapters/turnstile/turnstile'
import type { Config } from '../config'
import type { Mailer } from '../ports/delivery'
import type { HttpClient } from '../ports/http'
import type { Connection } from '../platforms/connection'
import { platforms } from '../platforms/registry'
import type { Log } from '../ports/runtime'
import type { Stores } from './stores'

/** Connects to all outside services: chat platforms, the email provider, the human check, sign-in servers. */
export function connectVendors(config: Config, log: Log, { store, drafts, installations, solutions }: Stores) {
  const proxied = config.proxy && obeyProxy(config.proxy)
  const http = createHttpClient({ proxied })
  const isCardOf = async (id: string, messageId: string) => (
    (await store.get(id))?.cards.some(card => card.messageId === messageId) ?? false
  )
  const tools = { log, http, siteUrl: config.siteUrl, isCardOf, drafts }
  const connections = platforms.flatMap(({ key, connect }): Connection[] => (
    key in config.platforms ? [located(connect(config.platforms[key], tools), installations)] : []
  ))
  const rooms = connections.find(({ embedded }) => embedded)?.embedded
  const caught = createOutboxMailer(() => rooms?.changed())
  const { receipts } = config.mail
  const { altcha, turnstile } = config.form
  const checkByTurnstile = turnstile ? createTurnstile(turnstile, http) : null
  return {
    http, connections,
    problems: config.proxy && !proxied ? [NOT_PROXIED] : [],
    mailer: connectMailer(config, http) ?? caught,
    notices: receipts ? createResendNotices(receipts.secret) : null,
    humanCheck: altcha ? createAltcha({ ...altcha, uses: solutions }) : checkByTurnstile,
    identityProviders: platforms.flatMap(({ key, signIn }) => signIn && key in config.ops.platforms
      ? [signIn.provider(config.ops.platforms[key], http)]
      : []),
    sandbox: rooms ? { rooms, emails: caught.sent } : null,
  }
}

/**
 * Connects what sends the emails; null if nothing is configured. No attempt outlives the lease of its work: otherwise
 * another process would send the email again. Resend adds up to five sixths to its timeout for files.
 */
function connectMailer({ mail, retry: { leaseMs } }: Config, http: HttpClient): Mailer | null {
  const { apiKey, baseUrl, smtp, fallback } = mail
  if (!smtp) return apiKey ? createResendMailer({ apiKey, baseUrl }, http) : null
  if (!fallback || !apiKey) return createSmtpMailer({ ...smtp, timeoutMs: leaseMs * 0.8 })
  const resend = createResendMailer({ apiKey, baseUrl, timeoutMs: leaseMs / 4 }, http)
  return createFallback(createSmtpMailer({ ...smtp, timeoutMs: leaseMs * 0.4 }), resend)
}
