import type { H3Event } from 'h3'
import { HttpError } from './errors'

/** The sandbox, for its own page only. @throws HttpError 404 when it is off, 403 for other pages */
export function requireSandbox<T extends { room: { admits: (headers: Headers) => boolean } }>(event: H3Event, sandbox: T | null): T {
  if (!sandbox) throw new HttpError(404, 'SANDBOX_OFF', 'The sandbox is off. Set SANDBOX=1 to switch it on.')
  if (!sandbox.room.admits(event.headers)) throw new HttpError(403, 'FOREIGN_PAGE', 'The sandbox answers only its own page.')
  return sandbox
}
