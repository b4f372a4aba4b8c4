import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import { addressGroup, clientAddress } from './client-address'
import { HttpError } from './errors'

/** What a process gives to request bodies. */
interface BodyLimits {
  /** Bytes of all bodies that are held at a time, from their first byte until their request is answered. */
  memory: number
  /** Bytes of the largest form. */
  largestForm: number
  /** How long a body may take to arrive, ms. */
  timeoutMs: number
  /** Proxies of ours in front, whose X-Forwarded-For is believed. */
  trustedProxies: number
}

/**
 * Reads the raw body, refusing as soon as it is known to be too long; what still comes in is thrown away by node, not kept.
 *
 * @throws HttpError 400, 408, 413, 429 when the client holds too much, 503 when all of them do
 */
export type ReadBody = (event: H3Event, maxBytes: number) => Promise<Buffer<ArrayBuffer>>

/** Of any route but forms, bytes: a webhook with the card that was clicked, or every value of the largest form, typed again. */
export const LARGEST_BODY = 4 * 1024 * 1024

/** One client's share of the memory. */
const SHARE = 1 / 4

/** Counts what bodies hold, over all routes: whoever sends slowly, or much at once, is refused before the memory is used up. */
export function createBodyReader({ memory, largestForm, timeoutMs, trustedProxies }: BodyLimits): ReadBody {
  // One of the largest may come from anybody.
  const share = Math.max(memory * SHARE, LARGEST_BODY, largestForm)
  const most = Math.max(memory, share)
  const held = new Map<string, number>()
  let total = 0

  /** @throws HttpError when it is too much */
  function hold(client: string, bytes: number): void {
    total += bytes
    const all = (held.get(client) ?? 0) + bytes
    if (all > 0) held.set(client, all)
    else held.delete(client)
    if (bytes <= 0) return
    if (all > share) throw new HttpError(429, 'TOO_MUCH_AT_ONCE', 'Too much is on its way from your address at once. Wait for the answers to some of it, then send the rest.')
    if (total > most) throw new HttpError(503, 'TOO_MUCH_AT_ONCE', 'Too much is on its way here at once. Nothing was taken in; send it again in a moment.')
  }

  return (event, maxBytes) => new Promise((resolve, reject) => {
    const { req: request, res: response } = event.node
    const client = addressGroup(clientAddress(request, trustedProxies))
    const tooLarge = () => new HttpError(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Send less, or raise MAX_BODY_BYTES.`)
    if (Number(getRequestHeader(event, 'content-length')) > maxBytes) return reject(tooLarge())
    let [buffer, size] = [Buffer.alloc(0), 0]

    const grow = (bytes: number) => {
      const added = bytes - buffer.length
      const grown = Buffer.allocUnsafe(bytes)
      buffer.copy(grown, 0, 0, size)
      buffer = grown
      hold(client, added)
    }
    const release = () => {
      hold(client, -buffer.length)
      buffer = Buffer.alloc(0)
    }
    const stop = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', refuse).off('close', onClose)
    }
    const refuse = (error: Error) => {
      stop()
      release()
      reject(error)
      // Without a listener, node throws away what still comes.
      request.on('error', () => {}).resume()
    }
    const onData = (chunk: Buffer) => {
      try {
        if (size + chunk.length > maxBytes) throw tooLarge()
        // One buffer that doubles: thousands of chunks of a byte would take a hundred times their bytes.
        if (size + chunk.length > buffer.length) grow(Math.min(Math.max(2 * buffer.length, size + chunk.length), maxBytes))
        size += chunk.copy(buffer, size)
      }
      catch (error) {
        refuse(error as Error)
      }
    }
    const onEnd = () => {
      stop()
      resolve(buffer.subarray(0, size))
    }
    const onClose = () => refuse(new HttpError(400, 'BODY_INCOMPLETE', 'The connection closed before the whole body arrived.'))
    const timer = setTimeout(() => {
      // Whoever is that slow does not hold the connection either.
      setResponseHeader(event, 'Connection', 'close')
      refuse(new HttpError(408, 'BODY_TOO_SLOW', `The body did not arrive within ${timeoutMs / 1000} s. Send it again.`))
    }, timeoutMs)
    request.on('data', onData).on('end', onEnd).on('error', refuse).on('close', onClose)
    response.once('close', release)
  })
}
