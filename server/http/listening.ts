import { HttpError } from './errors'

/** Longer than taking over from a listener that died and the pause before a new session together, ms. */
const PATIENCE_MS = 25_000

/**
 * Resolves once a listener is connected.
 *
 * @throws HttpError 502 with what failed; 504 when it is still trying
 */
export async function started(connected: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HttpError(504, 'GATEWAY_CONNECTING', `The listener is not connected yet, after ${PATIENCE_MS / 1000} s. It goes on trying; the log says why.`)), PATIENCE_MS)
  })
  const failed = (error: Error) => { throw new HttpError(502, 'GATEWAY_FAILED', error.message) }
  await Promise.race([connected.catch(failed), late]).finally(() => clearTimeout(timer))
}
