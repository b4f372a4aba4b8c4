import type { CardRef, Delivery, Receipt, Reviewer, Sent, Submission } from '../../ports/submission'

type Packed<T> = readonly T[]

/**
 * As lists of values, because names would be most of it: Redis keeps a trace of every submission for a week. Times are
 * in ms since it came in.
 */
type List = [
  version: number, state: Submission['state'], form: string | null, look: number | null,
  receivedAt: number, expires: number, cards: Packed<PackedCard>,
  decision: [NonNullable<Submission['decision']>['action'], boolean | null, number, ...Name] | null,
  erased: [number, ...Name] | null, delivered: readonly Delivery[],
  sent: Packed<[Delivery, readonly string[], number, string | null, ...PackedReceipt]>,
  /** When its cards stopped showing the form, where they did. */
  collapsed?: number | null,
  pressed?: string,
]
/** 0 is what the thread begins or ends with; 1 that the last edit was given up. */
type PackedCard = [thread: string, platform: string | 0, message: string | 0, isGivenUp?: 1]
/** Absent until anything is known. */
type PackedReceipt = [] | [Receipt['verdict'], string?]
type Name = [id: string, name: string, platform: string]

/** The text of a trace. Its version comes first: scripts read it there. */
export function packed(trace: Submission): string {
  const { version, state, form, look, receivedAt, expiresAt, cards, decision, erased, delivered } = trace
  const { collapse, pressed } = trace
  const since = (at: number) => at - receivedAt
  const list: List = [
    version, state, form ?? null, look ?? null, receivedAt, since(expiresAt), cards.map(packedCard),
    decision && [decision.action, decision.edited ?? null, since(decision.at), ...nameOf(decision.reviewer)],
    erased ? [since(erased.at), ...nameOf(erased.reviewer)] : null, delivered,
    (trace.sent ?? []).map(({ delivery, to, at, messageId, receipt }) => [
      delivery, to, since(at), messageId ?? null,
      ...receipt ? [receipt.verdict, ...receipt.reason ? [receipt.reason] : []] as PackedReceipt : [] as const,
    ]),
    ...pressed
      ? [collapse ? since(collapse.at) : null, pressed] as const
      : collapse ? [since(collapse.at)] as const : [] as const,
  ]
  return JSON.stringify(list)
}

export function unpacked(id: string, text: string): Submission {
  const [version, state, form, look, receivedAt, expires, cards, decision, erased, delivered, sent, collapsed, pressed]
    = JSON.parse(text) as List
  return {
    id, ...form !== null && { form }, version, state, ...look !== null && { look },
    receivedAt, expiresAt: receivedAt + expires, data: null, reminded: true, edited: [], cards: cards.map(cardOf),
    decision: decision && decisionOf(decision, receivedAt),
    ...erased && { erased: { reviewer: reviewerOf(erased.slice(1) as Name), at: receivedAt + erased[0] } },
    work: [], delivered,
    sent: sent.map(([delivery, to, at, messageId, verdict, reason]): Sent => ({
      delivery, content: '', to, at: receivedAt + at, ...messageId !== null && { messageId },
      ...verdict && { receipt: { verdict, ...reason && { reason } } },
    })),
    ...typeof collapsed === 'number' && { collapse: { at: receivedAt + collapsed, begun: true } },
    failures: [], history: [], ...pressed && { pressed },
  }
}

function packedCard({ platform, threadId, messageId, isGivenUp }: CardRef): PackedCard {
  const parts = threadId.split(':')
  const card = [threadId, platform === parts[0] ? 0 : platform, messageId === parts.at(-1) ? 0 : messageId] as const
  return isGivenUp ? [...card, 1] : [...card]
}

function cardOf([threadId, platform, messageId, isGivenUp]: PackedCard): CardRef {
  const parts = threadId.split(':')
  return {
    platform: platform === 0 ? parts[0]! : platform, threadId, messageId: messageId === 0 ? parts.at(-1)! : messageId,
    ...isGivenUp && { isGivenUp: true as const },
  }
}

function decisionOf(
  [action, edited, at, ...name]: NonNullable<List[7]>, receivedAt: number,
): Submission['decision'] {
  return { action, reviewer: reviewerOf(name), at: receivedAt + at, ...edited !== null && { edited } }
}

function nameOf({ id, name, platform }: Reviewer): Name {
  return [id, name, platform]
}

function reviewerOf([id, name, platform]: Name): Reviewer {
  return { id, name, platform }
}
