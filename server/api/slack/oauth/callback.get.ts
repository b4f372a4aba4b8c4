import { defineEventHandler, sendRedirect } from 'h3'
import { useServices } from '../../../app'
import { answer } from '../../../http/errors'
import { finishInstall, requireInstall } from '../../../http/slack-install'

/** `GET /api/slack/oauth/callback`: the browser that began an installation comes back. 302 to the set-up page, which says how it ended; 404 when it is off. */
export default defineEventHandler(event => answer(event, async () => {
  const { config, slackInstall } = useServices()
  return sendRedirect(event, await finishInstall(event, requireInstall(slackInstall), config))
}))
