import { pipeline } from 'node:stream/promises'
import { setResponseHeaders, type H3Event } from 'h3'
import { reportUnexpected } from './errors'

/**
 * Sends what is made bit by bit, no faster than it is taken. Until the first bit there is nothing to take back, and an error
 * is thrown; after it the connection breaks, so that half a file is not taken for a whole one.
 */
export async function sendDownload(event: H3Event, made: AsyncIterable<string | Buffer>, headers: Record<string, string>): Promise<void> {
  const bits = made[Symbol.asyncIterator]()
  const first = await bits.next()
  setResponseHeaders(event, headers)
  async function* all() {
    try {
      for (let bit = first; !bit.done; bit = await bits.next()) yield bit.value
    }
    finally {
      await bits.return?.()
    }
  }
  await pipeline(all, event.node.res).catch((error: NodeJS.ErrnoException) => {
    // Who asked has left.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') reportUnexpected(error)
  })
}
