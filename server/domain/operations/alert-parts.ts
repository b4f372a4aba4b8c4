import { english, type Texts } from '../../../shared/texts'
import { dateTime, plainText } from '../../../shared/utils/line'
import type { GatewayState } from '../../ports/monitor'
import type { Context } from '../context'
import { emailDelivery } from '../deliveries/email'
import { deliveryName, rowOf } from '../deliveries/registry'
import type { AlertMessage } from './alert-ways'
import { readParts } from './parts'
import type { StoreRefusal } from './readiness'

/** A part that fails now. */
export interface Failure {
  key: string
  label: string
  /** Start of the outage, epoch ms; null if only this check found it. */
  since: number | null
  reason: string
}

export const STORE = 'store'

/** Returns the failing parts by key; null if they cannot be read. A gateway without a readable status is left out. */
export async function readFailures(
  context: Context, gateways: () => Promise<GatewayState[]>,
): Promise<Map<string, Failure> | null> {
  const [parts, states] = await Promise.all([readParts(context), gateways()])
  const isUnreadable = parts.some(({ state }) => state === 'unknown') || states.some(({ status }) => !status)
  if (isUnreadable) return null
  const failures = parts.flatMap(({ key, label, state, facts }) => {
    const failing = state === 'failing' ? facts.filter(fact => fact.state === 'failing') : []
    if (failing.length === 0) return []
    const since = Math.min(...failing.map(({ failingSince, lastError }) => failingSince ?? lastError!.at))
    return [{ key, label, since, reason: failing[0]!.lastError!.reason }]
  })
  const closed = states.flatMap(({ platform, label, status }) => status!.refusal || status!.connectedSince === null
    ? [{
        key: `gateway:${platform}`, label: `${label} (gateway)`, since: null,
        reason: status!.refusal ?? 'No process is connected.',
      }]
    : [])
  return new Map([...failures, ...closed].map(failure => [failure.key, failure]))
}

export function storeFailure({ since, reason }: StoreRefusal, { texts = english }: Context): Failure {
  return { key: STORE, label: texts('card.alert.storeName'), since, reason }
}

/** Returns the name of a part that may work again. */
function partLabel(key: string, { board, texts = english }: Context): string {
  if (key === STORE) return texts('card.alert.storeName')
  if (key.startsWith('gateway:')) return `${board.label(key.slice('gateway:'.length))} (gateway)`
  if (rowOf(key)) return deliveryName(key, texts)
  return board.platforms.includes(key.split('/')[0]!) ? board.label(key) : key[0]!.toUpperCase() + key.slice(1)
}

/** @param waiting submissions that wait; null if the store cannot tell */
export function failingMessage(
  { key, label, reason }: Failure, since: number, waiting: number | null, context: Context,
): AlertMessage {
  const { texts = english } = context
  const meaning = meaningOf(key, label, context, texts)
  const waits = waiting === null
    ? texts('card.alert.waitingForms')
    : waiting > 0 ? texts('card.alert.waiting', { count: waiting }) : ''
  const action = texts(key === STORE
    ? 'card.alert.storeAction'
    : key.startsWith('gateway:') ? 'card.alert.gatewayAction' : 'card.alert.action')
  return {
    type: 'alert.failing', subject: meaning,
    text: texts('card.alert.failing', { meaning, at: dateTime(since), reason, waiting: waits, action }),
    facts: { part: key, label, since: new Date(since).toISOString(), waiting, reason, action },
  }
}

function meaningOf(key: string, part: string, { board }: Context, texts: Texts): string {
  if (key === STORE) return texts('card.alert.store')
  if (key.startsWith('gateway:')) return texts('card.alert.gateway', { part })
  if (key === emailDelivery.key) return texts('card.alert.email')
  if (board.platforms.includes(key.split('/')[0]!)) return texts('card.alert.cards', { part })
  return texts(rowOf(key) ? 'card.alert.destination' : 'card.alert.other', { part })
}

export function workingMessage(key: string, since: number, tookMs: number, context: Context): AlertMessage {
  const { texts = english } = context
  const label = partLabel(key, context)
  const duration = tookMs < 60_000 ? `${Math.ceil(tookMs / 1000)} s` : `${Math.round(tookMs / 60_000)} min`
  const text = texts('card.alert.working', { part: label, duration })
  return {
    type: 'alert.working', subject: text, text,
    facts: {
      part: key, label, since: new Date(since).toISOString(), waiting: null, reason: null, action: null, tookMs,
    },
  }
}

export function testMessage(at: number, { texts = english }: Context): AlertMessage {
  const text = texts('card.alert.test', { at: dateTime(at) })
  return {
    type: 'alert.test', subject: plainText(text), text,
    facts: { part: null, label: null, since: null, waiting: null, reason: null, action: null },
  }
}
