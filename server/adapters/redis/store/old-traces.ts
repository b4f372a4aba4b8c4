import { jsonIn } from '../../../../shared/utils/json'
import type { CardRef, Delivery, Receipt, Reviewer, SentDelivery, Submission } from '../../../ports/submission'
import type { RedisClient } from '../connection/client'
import { recordOf } from '../../../ports/stored-text'
import { recordKey } from './record'
import { run, script } from '../connection/calls'

/** Turns a trace into a record that is kept as long as the trace. KEYS the trace, the record. ARGV version, text. */
const CONVERT = script(`
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HSET', KEYS[2], 'v', ARGV[1], 'r', ARGV[2])
  redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[1]), 1))
end
redis.call('DEL', KEYS[1])`)

/**
 * Reads a submission that is over from the key used before 27 November 2026, and turns it into a record; null if there
 * is none that can be read. Old versions kept traces for a week: this file can be deleted after 4 December 2026.
 */
export async function oldTrace(client: RedisClient, id: string): Promise<Submission | null> {
  const key = `{triage}:t:${id}`
  const text = await client.get(key)
  const trace = text === null ? null : unpackTrace(id, text)
  if (trace) await run(client, CONVERT, [key, recordKey(id)], [String(trace.version), recordOf(trace)])
  return trace
}

type Packed<T> = readonly T[]

/** Trace as a list of values. Times are in ms since the submission came in. */
type PackedTrace = [
  version: number, state: Submission['state'], form: string | null, look: number | null,
  receivedAt: number, expires: number, cards: Packed<PackedCard>,
  decision: [NonNullable<Submission['decision']>['action'], boolean | null, number, ...PackedName] | null,
  erased: [number, ...PackedName] | null, delivered: readonly Delivery[],
  sent: Packed<[Delivery, readonly string[], number, string | null, ...PackedReceipt]>,
  /** Time at which its cards stopped showing the form, if they did. */
  collapsed?: number | null,
  pressed?: string,
]
/** Platform 0 is the beginning of the thread id, message 0 its end. `isGivenUp` is 1 if the last edit was given up. */
type PackedCard = [thread: string, platform: string | 0, message: string | 0, isGivenUp?: 1]
/** Absent until there is a receipt. */
type PackedReceipt = [] | [Receipt['verdict'], string?]
type PackedName = [id: string, name: string, platform: string]

function unpackTrace(id: string, text: string): Submission | null {
  const list = jsonIn(text)
  if (!Array.isArray(list)) return null
  const [
    version, state, form, look, receivedAt, expires, cards, decision, erased, delivered, sentDeliveries,
    collapsed, pressed,
  ] = list as PackedTrace
  return {
    id, ...form !== null && { form }, version, state, ...look !== null && { look },
    receivedAt, expiresAt: receivedAt + expires, data: null, reminded: true, edited: [], cards: cards.map(cardOf),
    decision: decision && decisionOf(decision, receivedAt),
    ...erased && { erased: { reviewer: reviewerOf(erased.slice(1) as PackedName), at: receivedAt + erased[0] } },
    work: [], delivered,
    sent: sentDeliveries.map(([delivery, to, at, messageId, verdict, reason]): SentDelivery => ({
      delivery, content: '', to, at: receivedAt + at, ...messageId !== null && { messageId },
      ...verdict && { receipt: { verdict, ...reason && { reason } } },
    })),
    ...typeof collapsed === 'number' && { collapse: { at: receivedAt + collapsed, begun: true } },
    failures: [], history: [], ...pressed && { pressed },
  }
}

function cardOf([threadId, platform, messageId, isGivenUp]: PackedCard): CardRef {
  const parts = threadId.split(':')
  return {
    platform: platform === 0 ? parts[0]! : platform, threadId, messageId: messageId === 0 ? parts.at(-1)! : messageId,
    ...isGivenUp && { isGivenUp: true as const },
  }
}

function decisionOf(
  [action, edited, at, ...name]: NonNullable<PackedTrace[7]>, receivedAt: number,
): Submission['decision'] {
  return { action, reviewer: reviewerOf(name), at: receivedAt + at, ...edited !== null && { edited } }
}

function reviewerOf([id, name, platform]: PackedName): Reviewer {
  return { id, name, platform }
}
