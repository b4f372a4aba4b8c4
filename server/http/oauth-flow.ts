import { randomBytes } from 'node:crypto'
import { deleteCookie, getQuery, useSession, type H3Event } from 'h3'
import { sameSecret } from './guards'
import { sealedCookie } from './session'

/** An authorization at another site that begins and ends here, in the same browser. */
export interface OAuthFlow {
  /** Cookie of what the browser keeps meanwhile. */
  name: string
  /** Seals it. */
  password: string
  /** Only by https. */
  secure: boolean
}

/** How long a person may take on the other site's page, ms. */
const FLOW_MS = 10 * 60 * 1000

/** What every flow keeps: its state, and when it began, epoch ms. */
interface Pending { state: string, at: number }

/** Ties a new flow to this browser; resolves with its state. */
export async function beginFlow(event: H3Event, flow: OAuthFlow, data: object = {}): Promise<string> {
  const state = randomBytes(32).toString('base64url')
  const session = await useSession<Pending>(event, sessionOf(flow))
  await session.update({ ...data, state, at: Date.now() })
  return state
}

/**
 * What the flow was begun with, given out once. Null when this browser began none, is late, or the state is another's:
 * somebody else's flow cannot end in this browser, nor this browser's elsewhere.
 */
export async function completeFlow<Data extends object>(
  event: H3Event, flow: OAuthFlow,
): Promise<Data & Pending | null> {
  const session = sessionOf(flow)
  const { data: pending } = await useSession<Data & Pending>(event, session)
  deleteCookie(event, session.name, session.cookie)
  const matches = typeof pending.state === 'string' && sameSecret(textOf(event, 'state'), pending.state)
  return matches && Date.now() - pending.at < FLOW_MS ? { ...pending } as Data & Pending : null
}

/** A parameter of the query; empty when it is absent or repeated. */
export function textOf(event: H3Event, name: string): string {
  const value = getQuery(event)[name]
  return typeof value === 'string' ? value : ''
}

function sessionOf(flow: OAuthFlow) {
  return sealedCookie({ ...flow, maxAgeS: FLOW_MS / 1000 })
}
