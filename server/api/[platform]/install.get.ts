import { getQuery, sendRedirect } from 'h3'
import { useServices } from '../../app'
import { beginInstall, requireInstall } from '../../http/install'
import { viewerRoute } from '../../http/viewer'

/**
 * `GET /api/<platform>/install`: sends the browser there to install the app; `?files` as for the manifest. 302, 401,
 * 403, 404 when it is off.
 */
export default viewerRoute(useServices, async ({ platform, config }, event) => {
  const install = requireInstall(event, platform)
  const state = await beginInstall(event, install, config)
  return sendRedirect(event, install.link(state, { files: 'files' in getQuery(event) }))
})
