import { defineNitroPlugin } from 'nitropack/runtime'
import { useServices } from '../app'
import { pageHeaders } from '../http/page-headers'
import { whyClosed } from '../http/viewer'

/** Security headers for pages, and 403 instead of them while nobody can sign in. Other answers do not pass here. */
export default defineNitroPlugin((nitro) => {
  nitro.hooks.hook('render:response', (response, { event }) => {
    const { config, sandbox } = useServices()
    // The development server's own scripts and styles come from everywhere.
    if (import.meta.dev || typeof response.body !== 'string') return
    response.headers = { ...response.headers, ...pageHeaders(response.body, config.siteUrl.startsWith('https:')) }
    delete response.headers['x-powered-by']

    const closed = whyClosed(config)
    const isSandbox = sandbox !== null && /^\/sandbox\/?(\?|$)/.test(event.path)
    if (!closed || isSandbox || response.statusCode !== 200) return
    response.statusCode = 403
    response.statusMessage = 'Forbidden'
    response.body = response.body.replace('<body>', `<body><noscript>${closed}</noscript>`)
  })
})
