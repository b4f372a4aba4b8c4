import { resolve } from 'node:path'
import type { Config } from '../config'
import { whyClosed } from '../http/viewer'
import { version } from '../../package.json'

/** Facts of this deployment for the log of the start, without secrets. */
export function aboutOf(config: Config): Record<string, unknown> {
  const { storeUrl, dataDir, mail, siteUrl, platforms } = config
  return {
    version, platforms: Object.keys(platforms),
    store: storeUrl ? `Redis at ${new URL(storeUrl).host}` : `files in ${resolve(dataDir)}`,
    mailer: mail.apiKey ? 'Resend' : 'none: emails are kept here (MAIL_API_KEY is not set)',
    pages: whyClosed(config) ?? (siteUrl === null ? '/ (NUXT_PUBLIC_SITE_URL is not set)' : `${siteUrl}/`),
  }
}
