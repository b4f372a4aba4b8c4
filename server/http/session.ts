import { clearUserSession, getUserSession, replaceUserSession } from '#sealed-sessions'
import { getCookie, type H3Event } from 'h3'

/** Who is signed in: a reviewer as the cards name them. */
export interface Viewer {
  id: string
  name: string
  /** Where they signed in, e.g. `Slack`. */
  platform: string
}

declare module '#auth-utils' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the library merges what is declared here into its sessions
  interface User extends Viewer {}
}

/** As `runtimeConfig.session.name`. */
const COOKIE = 'triage-session'

interface SiteConfig { production: boolean, siteUrl: string }

/** Browsers keep a secure cookie away from plain http, which only development on this machine may use. */
export const isSecure = ({ production, siteUrl }: SiteConfig) => production || siteUrl.startsWith('https:')

/** Who a sealed cookie says is signed in; null for none, a forged one or one past its 12 hours. */
export async function readSession(event: H3Event): Promise<Viewer | null> {
  // The library would open a session for everybody who has none.
  if (!getCookie(event, COOKIE)) return null
  return (await getUserSession(event)).user ?? null
}

export async function startSession(event: H3Event, { id, name, platform }: Viewer, config: SiteConfig): Promise<void> {
  await replaceUserSession(event, { user: { id, name, platform } }, cookieOf(config))
}

export async function endSession(event: H3Event, config: SiteConfig): Promise<void> {
  if (getCookie(event, COOKIE)) await clearUserSession(event, cookieOf(config))
}

const cookieOf = (config: SiteConfig) => ({ cookie: { secure: isSecure(config) } })
