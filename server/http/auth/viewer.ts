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
  /** Returns a signed-in person with all names that a list may use, and their role; null if they have no access. */
  admit: (person: Person) => Promise<{ person: Person, role: OpsRole | null } | null>
}

/** User of the ops pages; `role` is null while it is unknown if they may decide */
export interface Viewer extends Person { role: OpsRole | null }

/** User at this machine, if there is no sign-in */
const LOCAL: Person = { id: 'local', name: 'Local', platform: 'Ops page', names: ['ops:local'] }

/** Advice if the pages have no way to sign in */
const explainClosed = ({ ops }: SiteConfig) => (
  `The ops pages are closed, because there is no way to sign in. Set ${ops.waysIn}, and NUXT_SESSION_PASSWORD.`
)

/**
 * Returns the viewer, and sets the headers of an answer that is for them only.
 *
 * @throws HttpError 401 and 403 as `viewerOf`
 */
export async function requireViewer(event: H3Event, services: Services): Promise<Viewer> {
  // The answer is for this viewer only: no cache, no pages of other sites.
  setResponseHeaders(event, { 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' })
  return viewerOf(event, services)
}

/**
 * Returns the viewer, if OPS_VIEWERS or the lists of reviewers admit them.
 *
 * @throws HttpError 401 if they have to sign in, 403 if nobody can or they have no access
 */
async function viewerOf(event: H3Event, services: Services): Promise<Viewer> {
  const admission = await services.admit(await requirePerson(event, services))
  if (admission) return { ...admission.person, role: admission.role }
  throw new HttpError(
    403, 'NOT_A_VIEWER', 'You do not have access to these pages: neither OPS_VIEWERS nor a list of reviewers names you.',
  )
}

/** True if somebody is signed in. Does not check their access, so use it only for answers without data. */
export function isSignedIn(event: H3Event, services: Services): Promise<boolean> {
  return requirePerson(event, services).then(() => true, () => false)
}

/** Returns the signed-in person. If there is no way to sign in: a user at this machine, and in production nobody. */
async function requirePerson(event: H3Event, { config }: Services): Promise<Person> {
  if (config.ops.canSignIn) {
    const person = await readSession(event, config)
    if (person) return person
    throw new HttpError(401, 'SIGN_IN_REQUIRED', 'Sign in first.')
  }
  if (isClosed(config)) throw new HttpError(403, 'OPS_CLOSED', explainClosed(config))
  if (!isOwnPage(event.headers)) throw new HttpError(
    403, 'FOREIGN_PAGE', 'Submissions are shown only to pages of this host.',
  )
  if (!isFromHere(event)) throw new HttpError(
    403, 'OPS_CLOSED', `${explainClosed(config)} Until then they open on the machine itself only.`,
  )
  return LOCAL
}

/**
 * Returns the reviewer who sent a request that changes something; the request must come from our own page.
 *
 * @throws HttpError 401 and 403 as `requireViewer`, 403 for pages of other sites and for people who may only look, 415
 * for anything but JSON; PeopleUnknown
 */
export async function requireDecider(event: H3Event, services: Services): Promise<Viewer> {
  const viewer = await requireViewer(event, services)
  requireOwnPage(event, services.config)
  return requireReviewer(viewer)
}

/** @throws HttpError 403 for people who may only look, PeopleUnknown while their role is unknown */
function requireReviewer(viewer: Viewer): Viewer {
  if (viewer.role === 'reviewer') return viewer
  if (viewer.role === null) throw new PeopleUnknown()
  throw new HttpError(403, 'VIEWERS_ONLY_LOOK', 'You can view these pages but not decide: you are not on a list of reviewers.')
}

/** Returns the reason why the pages are closed, or null if they are open. */
export function whyClosed(config: SiteConfig): string | null {
  return isClosed(config) ? explainClosed(config) : null
}

function isClosed({ production, ops }: SiteConfig): boolean {
  return production && !ops.canSignIn
}

/** True if a request comes from this machine itself: a tunnel or proxy on it would add its client's address. */
function isFromHere(event: H3Event): boolean {
  const forwarded = (getRequestHeader(event, 'x-forwarded-for') ?? '').split(',')
  const hops = [event.node.req.socket.remoteAddress ?? '', ...forwarded]
  return hops.map(hop => hop.trim()).filter(Boolean).every(isLoopback)
}

function isLoopback(address: string): boolean {
  const plainAddress = address.replace(/^::ffff:/i, '')
  return address === '::1' || (isIP(plainAddress) === 4 && plainAddress.startsWith('127.'))
}

type Route<S, T> = (services: S, event: H3Event, viewer: Viewer) => Promise<T>

/** Route of the ops pages, for everybody with access */
export function viewerRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return route(async event => run(services(), event, await requireViewer(event, services())))
}

/** Like `viewerRoute`, but for reviewers only. For links, which may be on any site. */
export function reviewerRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return viewerRoute(services, async (current, event, viewer) => run(current, event, requireReviewer(viewer)))
}

/** Like `viewerRoute`, for queries by POST: only from our own pages */
export function askingRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return viewerRoute(services, async (current, event, viewer) => {
    requireOwnPage(event, current.config)
    return run(current, event, viewer)
  })
}

/** Route of the ops pages that changes something: only from our own pages, and only for reviewers */
export function deciderRoute<S extends Services, T>(services: () => S, run: Route<S, T>) {
  return route(async event => run(services(), event, await requireDecider(event, services())))
}

/**
 * Returns the sandbox and its viewer, who needs access to the ops pages.
 *
 * @throws HttpError 404 if it is off, and as `requireViewer` does
 */
export async function requireSandbox<T>(
  event: H3Event, services: Services & { sandbox: T | null },
): Promise<T & { viewer: Viewer }> {
  if (!services.sandbox) throw new HttpError(404, 'SANDBOX_OFF', 'The sandbox is off. Set SANDBOX=1 to switch it on.')
  return { ...services.sandbox, viewer: await requireViewer(event, services) }
}
