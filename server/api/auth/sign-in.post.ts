import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { readJson } from '../../http/body'
import { answer } from '../../http/errors'
import { requireOwnPage } from '../../http/own-page'
import { startSession } from '../../http/session'
import { passwordViewer, requireAttempt } from '../../http/sign-in'

/** `POST /api/auth/sign-in` `{ name, password }`: 200 `{ viewer }` and a session cookie; 400, 401, 403, 415, 429, 503. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  const { config } = services
  requireOwnPage(event, config)
  await requireAttempt(event, services)
  const viewer = passwordViewer(await readJson(event, services.readBody, config.maxBodyBytes), config)
  await startSession(event, viewer, config)
  return { viewer }
}))
