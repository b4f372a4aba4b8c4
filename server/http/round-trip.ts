import { randomBytes } from 'node:crypto'
import { deleteCookie, getQuery, useSession, type H3Event } from 'h3'
import { sameSecret } from './guards'
import { sealedCookie } from './session'

/** A visit to another site that ends here again, in the same browser. */
export interface RoundTrip {
  /** Cookie of what the browser keeps meanwhile. */
  name: string
  /** Seals it. */
  password: string
  /** Only by https. */
  secure: boolean
}

/** How long a person may take on the other site's page, ms. */
const TRIP_MS = 10 * 60 * 1000

/** What every trip keeps: its state, and when it began, epoch ms. */
interface Pending { state: string, at: number }

/** Ties a new trip to this browser; resolves with its state. */
export async function setOut(event: H3Event, trip: RoundTrip, luggage: object = {}): Promise<string> {
  const state = randomBytes(32).toString('base64url')
  const session = await useSession<Pending>(event, sessionOf(trip))
  await session.update({ ...luggage, state, at: Date.now() })
  return state
}

/**
 * What this browser took along, given out once. Null when it did not set out, is late, or the state is another's:
 * somebody else's trip cannot end in this browser, nor this browser's elsewhere.
 */
export async function comeBack<Luggage extends object>(event: H3Event, trip: RoundTrip): Promise<Luggage & Pending | null> {
  const session = sessionOf(trip)
  const { data: pending } = await useSession<Luggage & Pending>(event, session)
  deleteCookie(event, session.name, session.cookie)
  const matches = typeof pending.state === 'string' && sameSecret(textOf(event, 'state'), pending.state)
  return matches && Date.now() - pending.at < TRIP_MS ? { ...pending } as Luggage & Pending : null
}

/** A parameter of the query; empty when it is absent or repeated. */
export function textOf(event: H3Event, name: string): string {
  const value = getQuery(event)[name]
  return typeof value === 'string' ? value : ''
}

function sessionOf(trip: RoundTrip) {
  return sealedCookie({ ...trip, maxAgeS: TRIP_MS / 1000 })
}
