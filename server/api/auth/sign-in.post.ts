import { useServices } from '../../app'
import { readJson } from '../../http/body'
import { route } from '../../http/errors'
import { requireOwnPage } from '../../http/guards'
import { passwordViewer, requireAttempt, startSession } from '../../http/session'

/** `POST /api/auth/sign-in` `{ name, password }`: 200 `{ viewer }` and its cookie; 400, 401, 403, 415, 429, 503. */
export default route(async (event) => {
  const services = useServices()
  const { config } = services
  requireOwnPage(event, config)
  await requireAttempt(event, services)
  const { names, ...viewer } = passwordViewer(await readJson(event, services.readBody, config.maxBodyBytes), config)
  await startSession(event, { ...viewer, names }, config)
  return { viewer }
})
