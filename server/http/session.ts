import { deleteCookie, getCookie, useSession, type H3Event } from 'h3'

/** Who is signed in: a reviewer as the cards name them. */
export interface Viewer {
  id: string
  name: string
  /** Where they signed in, e.g. `Slack`. */
  platform: string
}

interface SiteConfig { production: boolean, siteUrl: string | null }
interface SessionConfig extends SiteConfig { ops: { password?: string, sessionPassword?: string } }

const LIFETIME_S = 12 * 60 * 60

/** Browsers keep a secure cookie away from plain http, which only development on this machine may use. */
export const isSecure = ({ production, siteUrl }: SiteConfig) => production || siteUrl?.startsWith('https:') === true

/**
 * A sealed cookie, lax because people come back from other sites with it. With the prefix `__Host-` browsers take a
 * secure one from this very host only: no neighbour on another subdomain can plant it.
 */
export function sealedCookie({ name, password, maxAgeS, secure }: { name: string, password: string, maxAgeS: number, secure: boolean }) {
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: maxAgeS } as const
  return { name: secure ? `__Host-${name}` : name, password, maxAge: maxAgeS, sessionHeader: false, cookie } as const
}

/** Who a sealed cookie says is signed in; null for none, a forged one or one past its 12 hours. */
export async function readSession(event: H3Event, config: SessionConfig): Promise<Viewer | null> {
  const session = sessionOf(config)
  // A session would be opened for everybody who has none.
  if (!getCookie(event, session.name)) return null
  return (await useSession<{ user?: Viewer }>(event, session)).data.user ?? null
}

export async function startSession(event: H3Event, { id, name, platform }: Viewer, config: SessionConfig): Promise<void> {
  const opened = await useSession(event, sessionOf(config))
  // Nothing of an earlier one goes on, its age neither.
  await opened.clear()
  await opened.update({ user: { id, name, platform } })
}

export function endSession(event: H3Event, config: SessionConfig): void {
  const session = sessionOf(config)
  if (getCookie(event, session.name)) deleteCookie(event, session.name, session.cookie)
}

/** Sealed with the password of the pages too: a new one ends what the old one let in. */
function sessionOf(config: SessionConfig) {
  const { password = '', sessionPassword = '' } = config.ops
  return sealedCookie({ name: 'triage-session', password: `${sessionPassword}${password}`, maxAgeS: LIFETIME_S, secure: isSecure(config) })
}
