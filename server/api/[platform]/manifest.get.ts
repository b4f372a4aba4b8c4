import { getQuery } from 'h3'
import { useServices } from '../../app'
import { HttpError, route } from '../../http/errors'
import { platformAt } from '../../http/platform'

/**
 * `GET /api/<platform>/manifest`: app manifest for this deployment, without secrets, so open to everybody; `?files`
 * adds the scope for attachments, `?agent` the settings for the platform's own stop button. 200, 404 while the public
 * URL is not set.
 */
export default route(async (event) => {
  const { manifest } = platformAt(event, useServices().platform, ({ definition }) => definition.manifest !== undefined)
  if (!manifest) throw new HttpError(
    404, 'SITE_URL_MISSING', 'Set NUXT_PUBLIC_SITE_URL to the public URL of this service: the manifest contains it.',
  )
  const query = getQuery(event)
  return manifest({ files: 'files' in query, agent: 'agent' in query })
})
