// Preloaded into the built server: prints each loaded file, and the time since the last request or the start, ms.
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'

let requestAt = performance.now()
subscribe('http.server.request.start', () => { requestAt = performance.now() })
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) writeSync(1, `loaded ${performance.now() - requestAt} ${url}\n`)
    return next(url, context)
  },
})
