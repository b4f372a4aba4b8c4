import type { SessionState } from '../../../shared/types/session'
import { useServices } from '../../app'
import { HttpError, route } from '../../http/errors'
import { requireViewer } from '../../http/viewer'

/** `GET /api/auth/session`: who is signed in, or how to; `closed` says why nobody can. For everybody. */
export default route(async (event): Promise<SessionState> => {
  const services = useServices()
  const platforms = services.identityProviders.map(({ key, label }) => ({ key, label }))
  const ways = { password: Boolean(services.config.ops.password), platforms }
  try {
    return { viewer: await requireViewer(event, services), closed: null, ...ways }
  }
  catch (error) {
    if (!(error instanceof HttpError)) throw error
    return { viewer: null, closed: error.status === 403 ? error.message : null, ...ways }
  }
})
