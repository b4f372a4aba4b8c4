import { setResponseHeader, type H3Event } from 'h3'
import { answer } from './errors'
import { requireViewer, type Viewer } from './viewer'

type Access = Parameters<typeof requireViewer>[1]

/** A route of the ops pages: for those who may look, and kept by no cache. */
export function opsRoute<T>(event: H3Event, access: Access, route: (viewer: Viewer) => Promise<T>): Promise<unknown> {
  return answer(event, async () => {
    setResponseHeader(event, 'Cache-Control', 'no-store')
    return route(await requireViewer(event, access))
  })
}

/** The same, for what changes something. The origin check of `requireViewer` keeps other websites out. */
export function opsAction<T>(event: H3Event, access: Access, route: (viewer: Viewer) => Promise<T>): Promise<unknown> {
  return opsRoute(event, access, route)
}
