import { startProxy, type Fault, type Proxy, type Recorded } from '../support/proxy'
import type { Block } from '../support/slack'

/** JSON answer; its status is 200 unless given. */
type Answer = Record<string, unknown> & { status?: number }

/** Faults of a vendor. Rate limits are rarer, because one delays all cards for a second. */
const FAULTS: readonly Fault[] = [
  { status: 500 }, 'drop', 'lose-answer', { status: 500 }, 'drop', 'lose-answer',
  { status: 429, body: '{"ok":false,"error":"ratelimited"}', headers: { 'retry-after': '1' } },
]

export interface Card {
  ts: string
  blocks: Block[]
  /** The submission of the card */
  submission: string
}

/** Doubles that keep up for hours: `emulate` accepts 5,000 calls an hour and searches all its messages in each. */
export interface Vendors {
  slack: Proxy
  resend: Proxy
  endpoint: Proxy
  /** All cards by `ts`, as the channel shows them */
  cards: Map<string, Card>
  /** The first card of each submission */
  firstCards: Map<string, Card>
  /** The last opened edit form of each submission */
  views: Map<string, Block>
  /** Bodies of the sent emails, by idempotency key */
  emails: Map<string, string>
  /** Bodies that the endpoint accepted, by `webhook-id`, with repetitions */
  deliveries: Map<string, string[]>
  /** Calls that took effect but whose answers were lost */
  lost: Set<Recorded>
  failedCalls: () => number
  close: () => Promise<void>
}

/** @param failingShare share of all calls that fail in some way, 0 to 1 */
export async function startVendors(failingShare: number): Promise<Vendors> {
  const [slack, resend, endpoint] = await Promise.all([startProxy(), startProxy(), startProxy()])
  let failedCalls = 0
  const vendors: Vendors = {
    slack, resend, endpoint,
    cards: new Map(), firstCards: new Map(), views: new Map(),
    emails: new Map(), deliveries: new Map(), lost: new Set(),
    failedCalls: () => failedCalls,
    close: async () => void await Promise.all([slack, resend, endpoint].map(vendor => vendor.close())),
  }
  const doing = (act: (vendors: Vendors, request: Recorded) => Answer) => (request: Recorded): Fault => {
    const fault = Math.random() < failingShare ? FAULTS[Math.floor(Math.random() * FAULTS.length)]! : null
    if (fault) failedCalls++
    if (fault && fault !== 'lose-answer') return fault
    const { status = 200, ...answer } = act(vendors, request)
    if (!fault) return { status, body: JSON.stringify(answer) }
    vendors.lost.add(request)
    return fault
  }
  slack.fault = doing(callSlack)
  resend.fault = doing(sendEmail)
  endpoint.fault = doing(deliver)
  return vendors
}

function callSlack({ cards, firstCards, views }: Vendors, { path, headers, body }: Recorded): Answer {
  const call = (
    headers['content-type']?.includes('json') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
  ) as Block
  switch (path) {
    case '/api/chat.postMessage': {
      const ts = `${1_700_000_000 + cards.size}.000100`
      const submission = submissionOf(call.blocks as Block[])
      const card: Card = { ts, blocks: call.blocks as Block[], submission: submission ?? '' }
      cards.set(ts, card)
      if (submission && !firstCards.has(submission)) firstCards.set(submission, card)
      return { ok: true, channel: call.channel, ts }
    }
    case '/api/chat.update': {
      const card = cards.get(call.ts as string)
      if (!card) return { ok: false, error: 'message_not_found' }
      card.blocks = call.blocks as Block[]
      return { ok: true, channel: call.channel, ts: call.ts }
    }
    case '/api/views.open':
      for (const [id] of JSON.stringify(call.view).matchAll(UUID)) views.set(id, call.view as Block)
      return { ok: true, view: { id: 'V1' } }
    case '/api/auth.test': return {
      ok: true, user_id: 'U000000009', bot_id: 'B000000009', team_id: 'T000000001', user: 'form-bot',
    }
    case '/api/users.info': return { ok: true, user: {
      id: 'U000000001', name: 'ada', real_name: 'Ada Lovelace',
      profile: { real_name: 'Ada Lovelace', display_name: 'ada' },
    } }
    default: return { ok: true }
  }
}

/**
 * Sends one email per key; refuses another body under the same key
 * (https://resend.com/docs/dashboard/emails/idempotency-keys).
 */
function sendEmail({ emails }: Vendors, { headers, body }: Recorded): Answer {
  const key = String(headers['idempotency-key'])
  const before = emails.get(key)
  if (before !== undefined && before !== body) {
    return { status: 409, statusCode: 409, name: 'invalid_idempotent_request', message: 'Same key, another body.' }
  }
  emails.set(key, body)
  return { id: key }
}

function deliver({ deliveries }: Vendors, { headers, body }: Recorded): Answer {
  const key = String(headers['webhook-id'])
  deliveries.set(key, [...deliveries.get(key) ?? [], body])
  return {}
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Returns the submission that these buttons belong to. */
export function submissionOf(blocks: readonly Block[]): string | undefined {
  return blocks.find(({ type }) => type === 'actions')?.elements[0].value as string | undefined
}
