import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireOwnPage } from '../../http/own-page'
import { endSession } from '../../http/session'

/** `POST /api/auth/sign-out`: ends the session of this browser. 200, 403, 415. */
export default defineEventHandler(event => answer(event, async () => {
  const { config } = useServices()
  requireOwnPage(event, config)
  endSession(event, config)
  return { viewer: null }
}))
