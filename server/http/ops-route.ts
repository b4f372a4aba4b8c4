import type { H3Event } from 'h3'
import { answer } from './errors'
import { requireDecider, requireViewer } from './viewer'
import type { Viewer } from './session'

type Access = Parameters<typeof requireViewer>[1]

/** A route of the ops pages: for those who may look. */
export function opsRoute<T>(event: H3Event, access: Access, route: (viewer: Viewer) => Promise<T>): Promise<unknown> {
  return answer(event, async () => route(await requireViewer(event, access)))
}

/** The same, for what changes something: by a page of ours only. */
export function opsAction<T>(event: H3Event, access: Access, route: (viewer: Viewer) => Promise<T>): Promise<unknown> {
  return answer(event, async () => route(await requireDecider(event, access)))
}
