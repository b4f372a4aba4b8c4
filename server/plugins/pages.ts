import { defineNitroPlugin } from 'nitropack/runtime'
import pages from '#pages'
import { useServices } from '../app'
import { createPageRoutes, fitShell, pageHeaders } from '../http/pages/spa-shell'
import { isSignedIn, whyClosed } from '../http/auth/viewer'

/** Error for a form sent to a page's address: answering with the page would look like success. */
const TYPING_ERROR = 'This address accepts nothing. Send forms to /api/form or /api/form/<form>; check the URL for a typing error.'
const NOT_HERE = JSON.stringify({ error: TYPING_ERROR, message: TYPING_ERROR, code: 'NO_SUCH_ROUTE' })

/** Sets the status and security headers of pages, and answers 403 instead while nobody can sign in. */
export default defineNitroPlugin((nitro) => {
  const routes = createPageRoutes(pages)
  nitro.hooks.hook('render:html', async (shell, { event }) => {
    const { page } = routes(event.method, event.path)
    if (import.meta.dev || !page) return
    fitShell(shell, page, event.path, await isSignedIn(event, useServices()))
  })
  nitro.hooks.hook('render:response', (response, { event }) => {
    const { config } = useServices()
    // The development server loads scripts and styles from many places.
    if (import.meta.dev || typeof response.body !== 'string') return
    response.headers = {
      ...response.headers, ...pageHeaders(response.body, config.siteUrl?.startsWith('https:') === true),
    }
    delete response.headers['x-powered-by']
    if (response.statusCode !== 200) return

    const { status, allow } = routes(event.method, event.path)
    response.statusCode = status
    if (allow) response.headers.allow = allow
    if (event.method !== 'GET' && event.method !== 'HEAD') {
      response.headers['content-type'] = 'application/json'
      response.body = NOT_HERE
    }

    const closed = whyClosed(config)
    if (!closed || status !== 200) return
    response.statusCode = 403
    response.statusMessage = 'Forbidden'
    response.body = response.body.replace(/<body[^>]*>/, `$&<noscript>${closed}</noscript>`)
  })
})
