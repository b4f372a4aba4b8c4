import { sendRedirect } from 'h3'
import { useServices } from '../../../app'
import { route } from '../../../http/errors'
import { beginOAuth, callbackUrl, providerOf } from '../../../http/auth/oauth'

/** `GET /api/auth/<platform>?to=<page>`: redirects to the platform to sign in. 302, 404 if it is off. */
export default route(async (event) => {
  const { config, identityProviders } = useServices()
  const { key, authorizeUrl } = providerOf(event, identityProviders)
  const state = await beginOAuth(event, key, config)
  return sendRedirect(event, authorizeUrl(callbackUrl(key, config), state))
})
