import type { Fact, FactState, StatusPart } from '../../../shared/types/status'
import type { PartHealth } from '../../ports/monitor'
import type { Context } from '../context'
import { OPTIONAL_PARTS, type OptionalPart, credentialsNote, editsNote } from './monitor'
import { labelOf } from '../review/scope'
import { emailDelivery } from '../deliveries/email'
import { deliveryName, deliveryParts } from '../deliveries/registry'

/** Note on emails that a mail server sends. */
const SMTP_NOTE = 'SMTP server. Receipts: not with SMTP.'

type Notes = Readonly<Record<string, PartHealth>> | null

/** Reads the state of all external services except the store. */
export async function readParts(context: Context): Promise<StatusPart[]> {
  const { board, health, forms, forms: { rooms }, runtime } = context
  const now = runtime.now()
  const [notes, platforms] = await Promise.all([
    health.read().catch(() => null),
    Promise.all(board.platforms.map(async key => ({ key, label: board.label(key), waits: await board.awaits(key) }))),
  ])
  const roomFacts = (room: string) => [
    factOf('Cards', notes, room, now), factOf('Card updates', notes, editsNote(room), now),
  ]
  const singlePart = (key: string, label: string) => partOf(key, label, [factOf('', notes, key, now)])
  return [
    ...platforms.map(({ key, label, waits }): StatusPart => ({
      ...partOf(key, label, [
        ...rooms.includes(key) ? roomFacts(key) : [],
        factOf(CREDENTIALS, notes, credentialsNote(key), now),
      ]),
      ...waits && { state: 'waiting', waits },
    })),
    ...deliveryParts(forms).map(key => ({
      ...singlePart(key, deliveryName(key)),
      ...key === emailDelivery.key && context.mail.carrier === 'SMTP server' && { note: SMTP_NOTE },
    })),
    ...optionalPartsOf(context).map(key => singlePart(key, OPTIONAL_PARTS[key])),
    // List a platform's additional channels only while they have a problem.
    ...rooms.filter(room => room.includes('/')).map(room => partOf(room, labelOf(room, board), roomFacts(room)))
      .filter(({ state }) => state === 'failing' || state === 'limited'),
  ]
}

function optionalPartsOf({ mail, forms }: Context): OptionalPart[] {
  const isThere = { receipts: mail.receipts !== undefined, files: forms.all.some(({ files }) => files) }
  return (['receipts', 'files'] as const).filter(part => isThere[part])
}

/** Returns the failures of these parts, one line each. */
export function problemsOf(parts: readonly StatusPart[]): string[] {
  return parts.filter(({ state }) => state !== 'waiting').flatMap(({ label, facts }) => (
    facts.filter(({ state }) => state === 'failing').map(({ about, lastError }) => (
      `${label}${about && `, ${about.toLowerCase()}`}: ${lastError!.reason}`
    ))
  ))
}

const CREDENTIALS = 'Credentials'

/** Returns the part without its credentials, for callers that check credentials themselves. */
export function withoutCredentials(part: StatusPart): StatusPart {
  return { ...part, facts: part.facts.filter(({ about }) => about !== CREDENTIALS) }
}

/** @param facts most important first */
export function partOf(key: string, label: string, facts: readonly Fact[]): StatusPart {
  const state = stateOf(facts)
  const { lastSuccessAt, lastError, limitedUntil } = facts.find(fact => fact.state === state) ?? facts[0]!
  return { key, label, state, lastSuccessAt, lastError, limitedUntil, facts }
}

/** Returns the worst state. Accepted credentials alone do not prove that the platform accepts cards. */
function stateOf(facts: readonly Fact[]): FactState {
  const states = facts.map(({ state }) => state)
  const worstState = (['failing', 'limited', 'unknown'] as const).find(state => states.includes(state))
  if (worstState) return worstState
  const conclusiveFacts = facts.length > 1 ? facts.filter(({ about }) => about !== CREDENTIALS) : facts
  return conclusiveFacts.some(({ state }) => state === 'ok') ? 'ok' : 'unused'
}

function factOf(about: string, notes: Notes, noteName: string, now: number): Fact {
  const health = notes?.[noteName] ?? { lastSuccessAt: null, lastError: null, limitedUntil: null }
  const { lastSuccessAt, lastError, limitedUntil } = health
  const state = (): FactState => {
    if (!notes) return 'unknown'
    if (lastError && lastError.at > (lastSuccessAt ?? 0)) return 'failing'
    if (limitedUntil !== null && limitedUntil > now) return 'limited'
    return lastSuccessAt === null ? 'unused' : 'ok'
  }
  return { about, ...health, state: state() }
}
