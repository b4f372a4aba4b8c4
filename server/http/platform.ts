import { withTimeout } from '../../shared/utils/time'
import { getRouterParam, type H3Event } from 'h3'
import { HttpError, noSuchRoute } from './errors'

/** Longer than taking over from a listener that died and the pause before a new session together, ms. */
const PATIENCE_MS = 25_000

interface Platform<L> {
  definition: { label: string, hasSocket?: true }
  listener: L | null
}

/** The platform that the path names. @throws HttpError 404 when there is none, or it has nothing at this address */
export function platformAt<P>(event: H3Event, platformOf: (key: string) => P | null, has: (platform: P) => boolean): P {
  const platform = platformOf(getRouterParam(event, 'platform') ?? '')
  if (!platform || !has(platform)) throw noSuchRoute()
  return platform
}

/** The listener of the platform that the path names. @throws HttpError 404 when it has none, or is not set up */
export function requireListener<L>(event: H3Event, platformOf: (key: string) => Platform<L> | null): L {
  const { definition, listener } = platformAt(event, platformOf, platform => platform.definition.hasSocket === true)
  if (!listener) throw new HttpError(404, 'GATEWAY_NOT_CONFIGURED', `${definition.label} adapter not configured`)
  return listener
}

/**
 * Resolves once a listener is connected.
 *
 * @throws HttpError 502 with what failed; 504 when it is still trying
 */
export async function started(connected: Promise<unknown>): Promise<void> {
  const late = `The listener is not connected yet, after ${PATIENCE_MS / 1000} s. It goes on trying; the log says why.`
  const failed = (error: Error) => { throw new HttpError(502, 'GATEWAY_FAILED', error.message) }
  await withTimeout(PATIENCE_MS, connected.catch(failed), () => new HttpError(504, 'GATEWAY_CONNECTING', late))
}
