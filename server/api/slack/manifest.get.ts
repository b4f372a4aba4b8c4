import { defineEventHandler, getQuery } from 'h3'
import { useServices } from '../../app'
import { answer, HttpError } from '../../http/errors'

/**
 * `GET /api/slack/manifest`: the Slack app of this deployment, without secrets, so for everybody; `?files` adds the scope
 * for attachments. 200, 404 while nobody said where this deployment is.
 */
export default defineEventHandler(event => answer(event, async () => {
  const { slackManifest } = useServices()
  if (!slackManifest) throw new HttpError(404, 'SITE_URL_MISSING', 'Set NUXT_PUBLIC_SITE_URL to the public URL of this service: the manifest is made of it.')
  return slackManifest({ files: 'files' in getQuery(event) })
}))
