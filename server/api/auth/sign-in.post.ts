import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { route } from '../../http/errors'
import { requireOwnPage } from '../../http/auth/guards'
import { passwordViewer, requireAttempt, startSession } from '../../http/auth/session'

/** Max body, bytes: a name and a password */
const MAX_BYTES = 16 * 1024

/** `POST /api/auth/sign-in` `{ name, password }`: 200 `{ viewer }` and its cookie; 400, 401, 403, 415, 429, 503. */
export default route(async (event) => {
  const services = useServices()
  const { config } = services
  requireOwnPage(event, config)
  await requireAttempt(event, services)
  const body = await readJson(event, services.readBody, MAX_BYTES)
  const { names, ...viewer } = await passwordViewer(body, config, isRight => services.guesses.slowDown(isRight))
  await startSession(event, { ...viewer, names }, config)
  return { viewer }
})
