import type { SessionState } from '../../../shared/types/session'
import { useServices } from '../../app'
import { HttpError, route } from '../../http/errors'
import { requireViewer } from '../../http/auth/viewer'

/**
 * `GET /api/auth/session`: the signed-in user, or the ways to sign in. `closed` tells why nobody can sign in, `refused`
 * why the signed-in user has no access. Open to everybody.
 */
export default route(async (event): Promise<SessionState> => {
  const services = useServices()
  const { identityProviders, config: { ops, people } } = services
  const platforms = identityProviders.map(({ key, label }) => ({ key, label }))
  const siteState = { password: Boolean(ops.password), platforms, takes: people.claimMs !== null }
  try {
    const { id, name, platform, role } = await requireViewer(event, services)
    return { viewer: { id, name, platform, role }, closed: null, refused: null, ...siteState }
  }
  catch (error) {
    if (!(error instanceof HttpError)) throw error
    const refusal = error.code === 'NOT_A_VIEWER' ? error.message : null
    const closed = error.status === 403 && !refusal ? error.message : null
    return { viewer: null, closed, refused: refusal, ...siteState }
  }
})
