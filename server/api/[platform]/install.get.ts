import { getQuery, sendRedirect } from 'h3'
import { useServices } from '../../app'
import { beginInstall, requireInstall } from '../../http/auth/oauth'
import { reviewerRoute } from '../../http/auth/viewer'

/**
 * `GET /api/<platform>/install`: redirects to the platform to install the app; `?files` and `?agent` as for the
 * manifest. 302, 401, 403, 404 if it is off.
 */
export default reviewerRoute(useServices, async ({ platform, config }, event) => {
  const install = requireInstall(event, platform)
  const state = await beginInstall(event, install, config)
  const query = getQuery(event)
  return sendRedirect(event, install.link(state, { files: 'files' in query, agent: 'agent' in query }))
})
