import { send, setResponseHeader, setResponseHeaders, type H3Error, type H3Event } from 'h3'
import { useServices } from './app'
import { answer, HttpError, noSuchRoute } from './http/errors'
import { pageHeaders } from './http/pages/spa-shell'
import { showRefusal } from './http/pages/refusal-page'

/**
 * Answers errors that no route answers, such as a missing file of another build, with the headers of all pages. Nuxt's
 * own error page would have different headers.
 */
export default async function answerError(error: H3Error, event: H3Event): Promise<void> {
  if (import.meta.dev || event.handled) return
  const { siteUrl } = useServices().config
  const body = await answer(event, () => { throw known(error) }, refusal => (
    showRefusal(event, refusal, 'This page cannot be shown')
  ))
  const { 'Content-Security-Policy': policy, ...headers } = pageHeaders('', siteUrl?.startsWith('https:') === true)
  setResponseHeaders(event, { ...headers, 'Cache-Control': 'no-store' })
  // A page has its own policy.
  if (typeof body === 'string') return send(event, body)
  setResponseHeader(event, 'Content-Security-Policy', policy!)
  return send(event, JSON.stringify(body), 'application/json')
}

/** Converts the error to one that routes throw. */
function known(error: H3Error): unknown {
  const { statusCode, message, cause } = error
  if (statusCode === 404) return noSuchRoute()
  return statusCode < 500 ? new HttpError(statusCode, 'INVALID_REQUEST', message) : cause ?? error
}
