import { defineEventHandler, getQuery } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'

/** `GET /api/slack/manifest`: the Slack app of this deployment, without secrets, so for everybody; `?files` adds the scope for attachments. */
export default defineEventHandler(event => answer(event, async () => useServices().slackManifest({ files: 'files' in getQuery(event) })))
