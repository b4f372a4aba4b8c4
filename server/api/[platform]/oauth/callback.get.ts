import { sendRedirect } from 'h3'
import { useServices } from '../../../app'
import { route } from '../../../http/errors'
import { finishInstall, requireInstall } from '../../../http/auth/oauth'

/**
 * `GET /api/<platform>/oauth/callback`: the browser that began an installation returns. 302 to the set-up page, which
 * shows the result; 404 if it is off.
 */
export default route(async (event) => {
  const { config, platform } = useServices()
  return sendRedirect(event, await finishInstall(event, requireInstall(event, platform), config))
})
