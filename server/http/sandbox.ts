import type { H3Event } from 'h3'
import { HttpError } from './errors'
import type { Viewer } from './session'
import { requireViewer } from './viewer'

/** The sandbox and who is looking, for those who may open the ops pages. @throws HttpError 404 when it is off, and as `requireViewer` does */
export async function requireSandbox<T>(event: H3Event, services: Parameters<typeof requireViewer>[1] & { sandbox: T | null }): Promise<T & { viewer: Viewer }> {
  if (!services.sandbox) throw new HttpError(404, 'SANDBOX_OFF', 'The sandbox is off. Set SANDBOX=1 to switch it on.')
  return { ...services.sandbox, viewer: await requireViewer(event, services) }
}
