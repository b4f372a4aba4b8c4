import { useServices } from '../../app'
import { route } from '../../http/errors'
import { requireOwnPage } from '../../http/auth/guards'
import { endSession } from '../../http/auth/session'

/** `POST /api/auth/sign-out`: ends the session of this browser. 200, 403, 415. */
export default route(async (event) => {
  const { config } = useServices()
  requireOwnPage(event, config)
  endSession(event, config)
  return { viewer: null }
})
