import { defineEventHandler } from 'h3'
import type { SessionState } from '../../../shared/types/session'
import { useServices } from '../../app'
import { answer, HttpError } from '../../http/errors'
import { requireViewer } from '../../http/viewer'

/** `GET /api/auth/session`: who is signed in, or how to; `closed` says why nobody can. For everybody. */
export default defineEventHandler(event => answer(event, async (): Promise<SessionState> => {
  const services = useServices()
  const ways = { password: Boolean(services.config.ops.password), platforms: services.identityProviders.map(({ key, label }) => ({ key, label })) }
  try {
    return { viewer: await requireViewer(event, services), closed: null, ...ways }
  }
  catch (error) {
    if (!(error instanceof HttpError)) throw error
    return { viewer: null, closed: error.status === 403 ? error.message : null, ...ways }
  }
}))
