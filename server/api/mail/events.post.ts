import { getRequestHeader } from 'h3'
import { useServices } from '../../app'
import { HttpError, noSuchRoute, route } from '../../http/errors'

/** Max size of an event, bytes: enough for the text of an email's subject and 50 recipients */
const LARGEST_EVENT = 64 * 1024

/**
 * `POST /api/mail/events`: receives Resend's events about all emails, even unknown ones. 200; 401 unless Resend signed
 * it just now; 404 without MAIL_WEBHOOK_SECRET; 413; 503 so that Resend sends it again.
 */
export default route(async (event) => {
  const { receipts, readBody } = useServices()
  if (!receipts) throw noSuchRoute()
  const body = await readBody(event, LARGEST_EVENT)
  const isSigned = await receipts.take(body.toString(), name => getRequestHeader(event, name))
  if (!isSigned) throw new HttpError(401, 'NOT_SIGNED', 'This was not signed with MAIL_WEBHOOK_SECRET, or its signature is too old.')
  return { ok: true }
})
