import { isIP } from 'node:net'
import { getRequestHeader, setResponseHeaders, type H3Event } from 'h3'
import type { Reviewer } from '../ports/submission'
import { HttpError, route } from './errors'
import { isOwnPage, requireOwnPage } from './guards'
import { readSession, type SiteConfig } from './session'

interface Services { config: SiteConfig }

/** Whoever sits at this machine, where nobody has to sign in. */
const LOCAL: Reviewer = { id: 'local', name: 'Local', platform: 'Ops page' }

/** What to do about pages that nobody can sign in to. */
const closed = ({ ops }: SiteConfig) => (
  `The ops pages are closed, because there is no way to sign in. Set ${ops.waysIn}, and NUXT_SESSION_PASSWORD.`
)

/**
 * Who is looking. With a way to sign in, whoever did; without one, only somebody at this very machine, and in
 * production nobody.
 *
 * @throws HttpError 401 when they have to sign in, 403 when nobody can
 */
export async function requireViewer(event: H3Event, { config }: Services): Promise<Reviewer> {
  // What it shows is for these eyes: no cache, and no other site's pages.
  setResponseHeaders(event, { 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' })
  if (config.ops.canSignIn) {
    const viewer = await readSession(event, config)
    if (viewer) return viewer
    throw new HttpError(401, 'SIGN_IN_REQUIRED', 'Sign in first.')
  }
  if (isClosed(config)) throw new HttpError(403, 'OPS_CLOSED', closed(config))
  if (!isOwnPage(event.headers)) throw new HttpError(
    403, 'FOREIGN_PAGE', 'Submissions are shown only to pages of this host.',
  )
  if (!isFromHere(event)) throw new HttpError(
    403, 'OPS_CLOSED', `${closed(config)} Until then they open on the machine itself only.`,
  )
  return LOCAL
}

/**
 * Who decides, by a request of our own page; for everything that changes something.
 *
 * @throws HttpError 401 and 403 as `requireViewer`, 403 for pages of other sites, 415 for anything but JSON
 */
export async function requireDecider(event: H3Event, services: Services): Promise<Reviewer> {
  const viewer = await requireViewer(event, services)
  requireOwnPage(event, services.config)
  return viewer
}

/** Why nobody can look, or null when somebody can. */
export function whyClosed(config: SiteConfig): string | null {
  return isClosed(config) ? closed(config) : null
}

function isClosed({ production, ops }: SiteConfig): boolean {
  return production && !ops.canSignIn
}

/** Whether a request began on this machine: a tunnel or proxy on it names the address that it came from. */
function isFromHere(event: H3Event): boolean {
  const forwarded = (getRequestHeader(event, 'x-forwarded-for') ?? '').split(',')
  const hops = [event.node.req.socket.remoteAddress ?? '', ...forwarded]
  return hops.map(hop => hop.trim()).filter(Boolean).every(isLoopback)
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return address === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

type Route<S, T> = (services: S, event: H3Event, viewer: Reviewer) => Promise<T>

/** A route of the ops pages, for those who may look. */
export function viewerRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return route(async event => run(services(), event, await requireViewer(event, services())))
}

/** A route of the ops pages that changes something: by a page of ours only. */
export function deciderRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return route(async event => run(services(), event, await requireDecider(event, services())))
}

/**
 * The sandbox and who looks at it: those who may open the ops pages.
 *
 * @throws HttpError 404 when it is off, and as `requireViewer` does
 */
export async function requireSandbox<T>(
  event: H3Event, services: Services & { sandbox: T | null },
): Promise<T & { viewer: Reviewer }> {
  if (!services.sandbox) throw new HttpError(404, 'SANDBOX_OFF', 'The sandbox is off. Set SANDBOX=1 to switch it on.')
  return { ...services.sandbox, viewer: await requireViewer(event, services) }
}
