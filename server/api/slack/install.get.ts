import { defineEventHandler, getQuery, sendRedirect } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { beginInstall, requireInstall } from '../../http/slack-install'
import { requireViewer } from '../../http/viewer'

/** `GET /api/slack/install`: sends the browser to Slack to install the app into a workspace; `?files` as for the manifest. 302, 401, 403, 404 when it is off. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  await requireViewer(event, services)
  const install = requireInstall(services.slackInstall)
  const state = await beginInstall(event, install, services.config)
  return sendRedirect(event, install.link(state, { files: 'files' in getQuery(event) }))
}))
