import { setFlagsFromString } from 'node:v8'
import { defineNitroPlugin } from 'nitropack/runtime'

/**
 * What a request costs besides its work; docs/performance.md has the figures.
 *
 * Nitro gives every request three rounds of hooks and four functions that nothing here uses. The functions refer to the
 * request that holds them, which keeps it beyond its end until the next full collection.
 *
 * While a vendor is slow, V8 learns that what a request creates lives long, creates it where only full collections look
 * from then on, and goes on doing so when the vendor is fast again.
 */
export default defineNitroPlugin(({ h3App: { options } }) => {
  if (import.meta.dev) return
  options.onRequest = (event) => { event.context.nitro = { errors: [] } }
  options.onBeforeResponse = options.onAfterResponse = undefined
  setFlagsFromString('--no-allocation-site-pretenuring')
})
