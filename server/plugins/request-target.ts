import { defineNitroPlugin } from 'nitropack/runtime'
import { pathOf } from '../http/request-target'

/** Routes `GET http://host/path` by its path; the router would take the whole for one, and Nuxt answer by itself. */
export default defineNitroPlugin(({ h3App }) => {
  const { handler } = h3App
  h3App.handler = Object.assign((event: Parameters<typeof handler>[0]) => {
    const { req } = event.node
    req.url = pathOf(req.url ?? '/')
    return handler(event)
  }, handler)
})
