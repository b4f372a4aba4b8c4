import { sendRedirect } from 'h3'
import { useServices } from '../../../app'
import { route } from '../../../http/errors'
import { finishOAuth, providerOf, signInPage } from '../../../http/auth/oauth'
import { requireAttempt, startSession } from '../../../http/auth/session'

/** `GET /api/auth/<platform>/callback`: the browser returns. 302 to the sign-in page, which shows the next step. */
export default route(async (event) => {
  const services = useServices()
  const { config, log, identityProviders } = services
  const provider = providerOf(event, identityProviders)
  await requireAttempt(event, services)
  const { to, ...outcome } = await finishOAuth(event, provider, config)
  if (outcome.ok) await startSession(event, outcome.person, config)
  else log.warn('sign-in.refused', { platform: provider.key, problem: outcome.problem, reason: outcome.reason })
  return sendRedirect(event, signInPage(outcome.ok ? { to } : { to, problem: outcome.problem }))
})
