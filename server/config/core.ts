import { z } from 'zod'
import { listTeamLanguages } from '../../shared/texts'
import { MOST_ADDRESSES } from '../domain/fields/addresses'
import {
  base, count, countOrNone, duration, email, endpoint, flag, isBase64, list, origin, signingSecret, signingSecrets,
  text, token, url, web, type Variable,
} from '../variable'
import { sqlitePath } from './store-url'

const ORIGINS = 'must be a list of origins such as https://example.com,https://www.example.com'

/** Rejects raw `/`, `?` and `#` in user or password: they would end that part of the URL. */
const RAW_PASSWORD = /^(?!rediss?:\/\/[^@/?#]*[/?#][^@]*@)/

/** Same for the URL of a mail server. */
const RAW_SMTP_PASSWORD = /^(?!smtps?:\/\/[^@/?#]*[/?#][^@]*@)/

/** True if the URL has a host, and nothing but user, password and port beside it. */
function isSmtpUrl(value: string): boolean {
  try {
    const { hostname, username, password, pathname, search, hash } = new URL(value)
    return decodeURIComponent(username + password) !== null && hostname !== '' && /^\/?$/.test(pathname)
      && search + hash === ''
  }
  catch {
    return false
  }
}

/** True for a file of SQLite, and for a Redis URL that node-redis can read: a database number is its path. */
function isStoreUrl(value: string): boolean {
  if (sqlitePath(value) !== null) return sqlitePath(value) !== ''
  try {
    const { username, password, pathname } = new URL(value)
    return decodeURIComponent(username + password) !== null && /^\/?\d*$/.test(pathname)
  }
  catch {
    return false
  }
}

const proxy = url(/^https?$/, 'must be an http:// or https:// URL')

/** Variables of the main job, independent of the platforms */
export const coreVariables = {
  NODE_ENV: { schema: text, about: 'Anything but `development` and `test` is production.' },
  STORE_URL: {
    alias: 'REDIS_URL',
    schema: text.regex(RAW_PASSWORD, 'must not have /, ? or # in its password: write them as %2F, %3F and %23').pipe(
      url(/^(?:rediss?|sqlite)$/, 'must be a redis:// or rediss:// URL, or name a file by a sqlite: URL'),
    ).refine(isStoreUrl, 'must have a database number as its path, and a percent-encoded password; or name a file'),
    about: 'Where submissions are kept: a file of SQLite, e.g. sqlite:/data/forms.db, for one process; or Redis (or Valkey) for any number, e.g. redis://localhost:6379.',
    where: 'A folder on a disk that stays, or your Redis provider; outside production the default is forms.db in DATA_DIR.',
  },
  SMTP_URL: {
    schema: text.regex(RAW_SMTP_PASSWORD, 'must not have /, ? or # in its password: write them as %2F, %3F and %23').pipe(
      url(/^smtps?$/, 'must be an smtp:// or smtps:// URL'),
    ).refine(isSmtpUrl, 'must have a host, no path, and a percent-encoded user and password'),
    about: 'Mail server that sends the emails, instead of Resend, e.g. smtp://user:password@mail.example.com:587.',
    where: 'Your mail provider, under SMTP or outgoing server. smtps:// for port 465.',
  },
  SMTP_TLS: {
    schema: z.literal('required', 'must be required, or unset'),
    about: 'required refuses a server without STARTTLS. Default: encrypted where the server offers it.',
  },
  SMTP_CA: {
    schema: text, about: 'Certificate of a private authority that vouches for the mail server: a PEM file, or its text. Optional.',
  },
  MAIL_FALLBACK: {
    schema: z.literal('resend', 'must be resend, or unset'),
    about: 'resend sends through Resend what SMTP_URL has given up, except what may have arrived. Optional.',
  },
  MAIL_API_KEY: {
    alias: 'RESEND_API_KEY', schema: token, about: 'API key of Resend, which sends the emails, unless SMTP_URL is set.',
    where: 'https://resend.com/api-keys.',
  },
  MAIL_FROM_ADDRESS: {
    alias: 'RESEND_FROM_ADDRESS', schema: email,
    about: 'Sender of forwarded emails, on a domain verified at Resend, or for which the mail server may send.', where: 'https://resend.com/domains.',
  },
  MAIL_FROM_NAME: { alias: 'RESEND_FROM_NAME', schema: text.max(150, 'must have at most 150 characters').regex(
    /^\P{C}*$/u, 'must not have a line break or a hidden character',
  ), about: 'Sender name of forwarded emails. Default: Formbot.' },
  MAIL_WEBHOOK_SECRET: {
    alias: 'RESEND_WEBHOOK_SECRET', usual: signingSecret,
    schema: text.refine(value => isBase64(value.replace('whsec_', '')), 'must be base64 after whsec_'),
    about: 'Signing secret of the webhook by which Resend tells what became of an email; cards then say it. Optional.',
    where: 'https://resend.com/webhooks → Add webhook, to /api/mail/events of this service.',
  },
  RECEIPT_WAIT: {
    schema: duration,
    about: 'How long the form data of a forward is kept to hear what became of its email, e.g. 30m; 0 for no time. Default: 1h.',
  },
  FORWARD_EMAIL: {
    schema: list.pipe(z.array(email).min(1, 'must have an address').max(
      MOST_ADDRESSES, `must have at most ${MOST_ADDRESSES} addresses, because Resend takes no more for one email`,
    )),
    about: 'Where forwarded submissions are emailed to: an address, or several separated by commas.',
  },
  FORWARD_ENDPOINT: { schema: endpoint, about: 'URL to which a forward also POSTs the form data as JSON. Optional.' },
  FORWARD_SIGNING_SECRET: {
    schema: signingSecrets,
    about: 'Signs the POST to FORWARD_ENDPOINT by Standard Webhooks. Two, separated by a space, both sign, while your system changes over. Optional.',
    where: 'Make one: echo "whsec_$(openssl rand -base64 24)".',
  },
  FORWARD_ERASURES: {
    schema: flag,
    about: '1 also POSTs to FORWARD_ENDPOINT which submissions somebody erased, without form data. Default: 0.',
  },
  FORMS_CONFIG: {
    schema: text,
    about: 'JSON file with forms beside the default one, instead of the built-in forms.config.ts. Optional.',
  },
  NUXT_PUBLIC_SITE_URL: {
    schema: base,
    about: 'Public URL of this service, used in links. Default: on Vercel the domain of the project, outside production http://localhost:3000. In production elsewhere there is no default, and nothing links here.',
  },
  LOCALE: {
    schema: text.refine(language => listTeamLanguages().includes(language), {
      error: () => `must be one of ${listTeamLanguages().join(', ')}`,
    }),
    about: 'Language of cards and emails: one of those in locales/ that have all texts of both, e.g. de. Default: en.',
  },
  RESEND_BASE_URL: { schema: base, about: 'Base URL of Resend, for tests. Default: Resend\'s.' },
  CRON_SECRET: {
    schema: token, usual: text.min(16, 'must have at least 16 characters'),
    about: 'Guards GET /api/cron/sweep and GET /api/discord/gateway, which schedulers of serverless hosts call.',
    where: 'Make one: openssl rand -hex 32.',
  },
  HTTPS_PROXY: {
    alias: 'https_proxy', schema: proxy,
    about: 'Proxy through which vendors are called, the sockets of Discord and Slack too, e.g. http://proxy.example.com:3128. Needs Node 24.14. Default: none.',
  },
  HTTP_PROXY: {
    alias: 'http_proxy', schema: proxy, about: 'The same for addresses that begin with http://. Default: none.',
  },
  NO_PROXY: {
    alias: 'no_proxy', schema: text,
    about: 'Hosts that are called without a proxy, e.g. localhost,127.0.0.1,.internal. Default: none.',
  },
  HOST: {
    alias: 'NITRO_HOST', schema: text,
    about: 'Address to listen on. Default: all, but outside production loopback only while the sandbox is on.',
  },
  VERCEL: { schema: flag, about: 'Set by Vercel: due work is then done by cron instead of a timer.' },
  VERCEL_PROJECT_PRODUCTION_URL: {
    schema: text.regex(/^[\w.-]+$/, 'must be a host name'),
    about: 'Set by Vercel: host of the public URL when NUXT_PUBLIC_SITE_URL is not set.',
  },
  DATA_DIR: {
    schema: text,
    about: 'Folder of files, of forms and of the agent, where no S3 or Vercel Blob is set up, and of forms.db, where STORE_URL is not set outside production. Default: .data.',
  },
  MAX_BODY_BYTES: { schema: count, about: 'Largest form that is accepted, in bytes. Default: 262144 (256 KiB).' },
  BODY_MEMORY_BYTES: {
    schema: count,
    about: 'Memory that all bodies of requests may take at a time, in bytes; one client gets a quarter. Default: 67108864 (64 MiB).',
  },
  BODY_TIMEOUT_MS: {
    schema: count, about: 'How long the body of a request may take to arrive, in ms. Default: 30000.',
  },
  FORM_RATE_LIMIT: {
    schema: countOrNone,
    about: 'Forms that one client address may send in a minute; 0 switches the limit off. Default: 60.',
  },
  FORM_RATE_LIMIT_MB: {
    schema: countOrNone,
    about: 'MB of forms, without files, that one client address may send in an hour; 0 switches the limit off. Default: 20.',
  },
  TRUST_PROXY: {
    schema: countOrNone,
    about: 'How many proxies of yours stand in front: the client address is then that entry of X-Forwarded-For, from the right. Default: 0, the address that connects (on Vercel: 1).',
  },
  FORM_HONEYPOT: {
    schema: text,
    about: 'Hidden form field (honeypot). A form that fills it in is held for review, without a card. Default: _gotcha.',
  },
  HELD_MAX: {
    schema: countOrNone,
    about: 'Maximum number of held forms; the oldest are deleted first. Default: 1000.',
  },
  SPAM_HOLD: {
    schema: duration,
    about: 'Time in which spam can be restored, e.g. 24h; its data is kept that long. Default: 0, erased at once.',
  },
  UNDO_SECONDS: {
    schema: countOrNone.max(300, 'must be at most 300'),
    about: 'Seconds before a forward is sent, in which it can be undone; at most 300. Default: 0, at once.',
  },
  CARD_DATA_TTL: {
    schema: duration,
    about: 'Time after a decision in which cards still show the form data, e.g. 30d. Default: as long as the platform keeps them.',
  },
  FORM_ALLOWED_ORIGINS: {
    schema: list.pipe(z.array(origin(ORIGINS)).min(1, ORIGINS)),
    about: 'Websites that may send forms, e.g. https://example.com,https://www.example.com. Default: any.',
  },
  FORM_API_KEY: {
    schema: token.min(16, 'must have at least 16 characters'),
    about: 'Lets servers send forms, by Authorization: Bearer or X-Api-Key; once it is set, websites need FORM_ALLOWED_ORIGINS. Optional.', where: 'Make one: openssl rand -hex 32.',
  },
  HUMAN_CHECK: {
    schema: z.enum(['altcha', 'turnstile'], 'must be altcha or turnstile'),
    about: 'Check that people send the forms: altcha, by this service alone, or turnstile. Default: turnstile if its key is set, otherwise none.',
  },
  ALTCHA_SECRET: {
    schema: text.min(32, 'must have at least 32 characters'),
    about: 'Signs the challenges of HUMAN_CHECK=altcha. Default: derived from NUXT_SESSION_PASSWORD.',
    where: 'Make one: openssl rand -hex 32.',
  },
  TURNSTILE_SECRET_KEY: {
    schema: text, about: 'Has Cloudflare Turnstile check that people send the forms. Optional.',
    where: 'https://dash.cloudflare.com/?to=/:account/turnstile → your widget → Secret Key.',
  },
  TURNSTILE_SITE_KEY: {
    schema: text, about: 'Of the same widget: /api/form/<form>/embed has it in the HTML to copy. Optional.',
    where: 'https://dash.cloudflare.com/?to=/:account/turnstile → your widget → Site Key.',
  },
  TURNSTILE_VERIFY_URL: { schema: web, about: 'Address of the Turnstile verifier, for tests. Default: Cloudflare\'s.' },
  RETRY_BASE_MS: {
    schema: count,
    about: 'Pause before the second attempt at a delivery, in ms; it triples from there, up to an hour. Default: 5000.',
  },
  RETRY_FOR: {
    schema: duration.refine(ms => ms > 0 && ms <= 9 * 24 * 60 * 60 * 1000, 'must be between 1s and 9d'),
    about: 'How long a delivery that fails is tried again. Default: 3d.',
  },
  LEASE_MS: {
    schema: count,
    about: 'How long a process has for a delivery before another takes over, in ms; half of it for a gateway. Default: 30000.',
  },
  CARD_INTERVAL_MS: {
    schema: countOrNone,
    about: 'Least pause between two new cards in a channel, in ms; 0 for none. Default: what the platform allows.',
  },
  SWEEP_INTERVAL_MS: {
    schema: count, about: 'How often a long-lived process looks for due work, in ms. Default: 2000.',
  },
} as const satisfies Record<string, Variable>
