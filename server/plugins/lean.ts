import { setFlagsFromString } from 'node:v8'
import { defineNitroPlugin } from 'nitropack/runtime'

/**
 * Lowers the overhead of a request; docs/performance.md has the figures.
 *
 * Nitro gives every request three rounds of hooks and four functions that nothing here uses. The functions refer to
 * their request, which keeps it in memory after its end until the next full collection.
 *
 * While a vendor is slow, V8 learns that objects of a request live long. From then on it creates them in memory that
 * only full collections clean, even when the vendor is fast again.
 */
export default defineNitroPlugin(({ h3App: { options } }) => {
  if (import.meta.dev) return
  options.onRequest = (event) => { event.context.nitro = { errors: [] } }
  options.onBeforeResponse = options.onAfterResponse = undefined
  setFlagsFromString('--no-allocation-site-pretenuring')
})
