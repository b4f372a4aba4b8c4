import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { closedLoop, openLoop, percentiles, rawRequest, type RawRequest } from './load.ts'
import { FORM_REQUEST, SIGNING_SECRET, type Target } from './target.ts'
import type { Vendors } from './vendor-process.ts'
import type { Noted } from './vendors.ts'

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

export interface Clicked {
  /** Time from sending the click to its answer, ms */
  ackP50: number
  ackP99: number
  /** Time from sending the click to the edit's arrival at Slack, ms */
  updatedP50: number
  /** User and system time of the target, s */
  cpuS: number
}

/** A click on a card, ready to send */
interface CardClick {
  ts: string
  request: RawRequest
}

/** Posts `count` cards, then presses Forward on each, at this pace; resolves when all work is done. */
export async function forwardCards(
  target: Target, vendors: Vendors, count: number, everyMs: number,
): Promise<Clicked> {
  return pressAll(target, vendors, await postCards(target, vendors, count), everyMs)
}

/** Posts `count` cards; resolves with a click on Forward for each. */
export async function postCards({ port }: Target, vendors: Vendors, count: number): Promise<CardClick[]> {
  await vendors.tell({ record: true, delayMs: 0 })
  await closedLoop(port, 8, () => FORM_REQUEST, { requests: count })
  const { cards } = await vendors.tell({ record: true })
  // Wait, so that remaining work of the submissions does not count as the clicks' cost.
  await setTimeout(100)
  return Object.entries(cards).map(([ts, body]) => ({ ts, request: clickRequest(ts, body) }))
}

/** Sends these clicks, one every `everyMs`; resolves when all work that they cause is done. */
export async function pressAll(
  { port, cpu }: Target, vendors: Vendors, clicks: readonly CardClick[], everyMs: number,
): Promise<Clicked> {
  const before = cpu()
  const { p50, p99, sentAt } = await openLoop(port, clicks.map(({ request }) => request), everyMs)
  const { editedAt } = await untilDone(vendors, clicks.length)
  const updated = clicks.map(({ ts }, index) => editedAt[ts]! - sentAt[index]!)
  const cpuS = cpu() - before
  await vendors.tell({ record: false })
  return { ackP50: p50, ackP99: p99, updatedP50: percentiles(updated).p50, cpuS }
}

async function untilDone(vendors: Vendors, count: number): Promise<Pick<Noted, 'editedAt'>> {
  const editedAt: Record<string, number> = {}
  let emails = 0
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await setTimeout(20)) {
    const noted = await vendors.tell({})
    Object.assign(editedAt, { ...noted.editedAt, ...editedAt })
    emails += noted.emails
    if (Object.keys(editedAt).length >= count && emails >= count) return { editedAt }
  }
  throw new Error(`Of ${count} forwards ${Object.keys(editedAt).length} edited their card and ${emails} sent their email.`)
}

/** A click on Forward with a valid signature, and with the card as Slack returns it */
function clickRequest(ts: string, posted: string): RawRequest {
  const card = posted.startsWith('{') ? JSON.parse(posted) as { blocks: unknown, text?: string } : formCall(posted)
  const value = UUID.exec(JSON.stringify(card.blocks))![0]
  const payload = {
    type: 'block_actions', api_app_id: 'A000000001', token: 'none', team: { id: 'T000000001', domain: 'bench' },
    user: { id: 'U000000001', username: 'ada', name: 'ada', team_id: 'T000000001' },
    container: { type: 'message', message_ts: ts, channel_id: 'C000000001', is_ephemeral: false },
    trigger_id: 'none', channel: { id: 'C000000001', name: 'general' }, response_url: 'http://127.0.0.1:9/none',
    message: { type: 'message', ts, text: card.text, blocks: card.blocks, user: 'U000000009', bot_id: 'B000000009' },
    actions: [{ type: 'button', action_id: 'forward', block_id: 'b', value, action_ts: ts, text: {
      type: 'plain_text', text: 'Forward Submission',
    } }],
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex')}`
  return rawRequest('/api/webhooks/slack', 'application/x-www-form-urlencoded', body, {
    'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': signature,
  })
}

function formCall(body: string): { blocks: unknown, text?: string } {
  const call = new URLSearchParams(body)
  return { blocks: JSON.parse(call.get('blocks')!), text: call.get('text') ?? undefined }
}
