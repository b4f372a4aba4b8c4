import { withTimeout } from '../../shared/utils/time'
import { getRouterParam, type H3Event } from 'h3'
import { HttpError, noSuchRoute } from './errors'

/** Max wait for a connection, ms: enough for a takeover from a dead listener and the pause before a new session */
const PATIENCE_MS = 25_000

interface Platform<L> {
  definition: { label: string, hasSocket?: true }
  listener: L | null
}

/** Returns the platform in the path. @throws HttpError 404 if there is none, or it has nothing at this address */
export function platformAt<P>(
  event: H3Event, platformOf: (key: string) => P | null, hasRoute: (platform: P) => boolean,
): P {
  const platform = platformOf(getRouterParam(event, 'platform') ?? '')
  if (!platform || !hasRoute(platform)) throw noSuchRoute()
  return platform
}

/** Returns the listener of the platform in the path. @throws HttpError 404 if it has none, or is not set up */
export function requireListener<L>(event: H3Event, platformOf: (key: string) => Platform<L> | null): L {
  const { definition, listener } = platformAt(event, platformOf, platform => platform.definition.hasSocket === true)
  if (!listener) throw new HttpError(404, 'GATEWAY_NOT_CONFIGURED', `${definition.label} adapter not configured`)
  return listener
}

/**
 * Resolves once a listener is connected.
 *
 * @throws HttpError 502 with the error; 504 if it is still trying
 */
export async function started(connected: Promise<unknown>): Promise<void> {
  const message = `The listener is not connected yet, after ${PATIENCE_MS / 1000} s. It goes on trying; the log says why.`
  const throwFailure = (error: Error) => { throw new HttpError(502, 'GATEWAY_FAILED', error.message) }
  await withTimeout(PATIENCE_MS, connected.catch(throwFailure), () => new HttpError(504, 'GATEWAY_CONNECTING', message))
}
