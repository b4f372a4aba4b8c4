import { isIP } from 'node:net'
import { getRequestHeader, setResponseHeaders, type H3Event } from 'h3'
import type { OpsRole } from '../../../shared/types/session'
import type { Person } from '../../ports/submission'
import { PeopleUnknown } from '../../domain/errors'
import { HttpError, route } from '../errors'
import { isOwnPage, requireOwnPage } from './guards'
import { readSession, type SiteConfig } from './session'

interface Services {
  config: SiteConfig
  /** Somebody who signed in, by every name that a list may have, and what they may do; null for nothing. */
  admit: (person: Person) => Promise<{ person: Person, role: OpsRole | null } | null>
}

/** Somebody at the ops pages; of no role while nobody can tell whether they decide. */
export interface Viewer extends Person { role: OpsRole | null }

/** Whoever sits at this machine, where nobody has to sign in. */
const LOCAL: Person = { id: 'local', name: 'Local', platform: 'Ops page', names: ['ops:local'] }

/** What to do about pages that nobody can sign in to. */
const closed = ({ ops }: SiteConfig) => (
  `The ops pages are closed, because there is no way to sign in. Set ${ops.waysIn}, and NUXT_SESSION_PASSWORD.`
)

/**
 * Who is looking, for an answer that shows them something.
 *
 * @throws HttpError 401 and 403 as `viewerOf`
 */
export async function requireViewer(event: H3Event, services: Services): Promise<Viewer> {
  // What it shows is for these eyes: no cache, and no other site's pages.
  setResponseHeaders(event, { 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' })
  return viewerOf(event, services)
}

/**
 * Who is looking, and may: OPS_VIEWERS and the lists of reviewers say who does.
 *
 * @throws HttpError 401 when they have to sign in, 403 when nobody can or they may not
 */
async function viewerOf(event: H3Event, services: Services): Promise<Viewer> {
  const admitted = await services.admit(await requirePerson(event, services))
  if (admitted) return { ...admitted.person, role: admitted.role }
  throw new HttpError(
    403, 'NOT_A_VIEWER', 'You do not have access to these pages: neither OPS_VIEWERS nor a list of reviewers names you.',
  )
}

/** Whether somebody signed in, whatever they may do: for what holds no data, and waits for nobody to be looked up. */
export function isSignedIn(event: H3Event, services: Services): Promise<boolean> {
  return requirePerson(event, services).then(() => true, () => false)
}

/** With a way to sign in, whoever did; without one, only somebody at this very machine, and in production nobody. */
async function requirePerson(event: H3Event, { config }: Services): Promise<Person> {
  if (config.ops.canSignIn) {
    const person = await readSession(event, config)
    if (person) return person
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
 * @throws HttpError 401 and 403 as `requireViewer`, 403 for pages of other sites and for who may only look, 415 for
 * anything but JSON; PeopleUnknown
 */
export async function requireDecider(event: H3Event, services: Services): Promise<Viewer> {
  const viewer = await requireViewer(event, services)
  requireOwnPage(event, services.config)
  return deciding(viewer)
}

/** @throws HttpError 403 for who may only look, PeopleUnknown while nobody can tell */
function deciding(viewer: Viewer): Viewer {
  if (viewer.role === 'reviewer') return viewer
  if (viewer.role === null) throw new PeopleUnknown()
  throw new HttpError(403, 'VIEWERS_ONLY_LOOK', 'You may look at these pages, but not decide: no list of reviewers names you.')
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

type Route<S, T> = (services: S, event: H3Event, viewer: Viewer) => Promise<T>

/** A route of the ops pages, for those who may look. */
export function viewerRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return route(async event => run(services(), event, await requireViewer(event, services())))
}

/** As `viewerRoute`, for pages that only who decides may open: a link leads there, so that any site may name it. */
export function reviewerRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return viewerRoute(services, async (all, event, viewer) => run(all, event, deciding(viewer)))
}

/** As `viewerRoute`, for what is asked with POST: by a page of ours only. */
export function askingRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return viewerRoute(services, async (all, event, viewer) => {
    requireOwnPage(event, all.config)
    return run(all, event, viewer)
  })
}

/** A route of the ops pages that changes something: by a page of ours only, and by who decides. */
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
): Promise<T & { viewer: Viewer }> {
  if (!services.sandbox) throw new HttpError(404, 'SANDBOX_OFF', 'The sandbox is off. Set SANDBOX=1 to switch it on.')
  return { ...services.sandbox, viewer: await requireViewer(event, services) }
}
