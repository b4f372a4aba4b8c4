import {
  GRACE_MS, type ApprovalStore, type KeptTurn, type Recorded, type ApprovalDecision, type WaitingTurn,
} from '../../ports/approvals'
import type { CardRef } from '../../ports/submission'
import { createCalls, type Calls, lease, script } from './connection/calls'
import type { RedisClient } from './connection/client'

/**
 * Records a decision on one call of a waiting turn, or on all open calls. The caller that records the last one takes
 * the turn. Returns ['gone'], ['decided', earlier decision], ['recorded'] or ['complete', field, value, …].
 *
 * KEYS turn, due. ARGV id, position of the call ('' for all), decision, time at which the taken turn is due.
 */
const DECIDE = script(`
local count = redis.call('HGET', KEYS[1], 'count')
if not count or (ARGV[2] == '' and redis.call('HEXISTS', KEYS[1], 'taken') == 1) then return { 'gone' } end
local from, to = ARGV[2], ARGV[2]
if ARGV[2] == '' then
  from, to = 0, count - 1
else
  if tonumber(ARGV[2]) >= tonumber(count) then return { 'gone' } end
  local stands = redis.call('HGET', KEYS[1], ARGV[2])
  if stands then return { 'decided', stands } end
end
for call = from, to do redis.call('HSETNX', KEYS[1], string.format('%d', call), ARGV[3]) end
for call = 0, count - 1 do
  if redis.call('HEXISTS', KEYS[1], string.format('%d', call)) == 0 then return { 'recorded' } end
end
redis.call('HSET', KEYS[1], 'taken', '1')
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
local found = redis.call('HGETALL', KEYS[1])
table.insert(found, 1, 'complete')
return found
`)

export const DUE = '{triage}:approvals'
export const turnKey = (id: string) => `{triage}:approval:${id}`

/** Keeps waiting turns in Redis: one hash per turn (turn, cards, decision per call), and a sorted set of their ends. */
export class RedisApprovals implements ApprovalStore {
  private readonly calls: Calls

  constructor(private readonly client: RedisClient) {
    this.calls = createCalls(client)
  }

  async keep(turn: WaitingTurn): Promise<void> {
    const key = turnKey(turn.id)
    await this.calls.call(() => this.client.multi()
      .hSet(key, { turn: JSON.stringify(turn), count: String(turn.calls.length) })
      .pExpireAt(key, turn.expiresAt + GRACE_MS)
      .zAdd(DUE, { score: turn.expiresAt, value: turn.id })
      .exec())
  }

  async attach(id: string, cards: readonly (CardRef | null)[]): Promise<void> {
    // `HSET` alone would recreate a turn that was deleted in the meantime, and would keep it for ever.
    await this.calls.call(() => this.client.multi()
      .hSet(turnKey(id), 'cards', JSON.stringify(cards)).pExpire(turnKey(id), GRACE_MS, 'NX').exec())
  }

  async get(id: string): Promise<KeptTurn | null> {
    return parse(await this.calls.call(() => this.client.hGetAll(turnKey(id))))
  }

  kept(limit: number): Promise<string[]> {
    return this.calls.call(() => this.client.zRange(DUE, 0, limit - 1))
  }

  async decide(id: string, call: number | null, decision: ApprovalDecision, until: number): Promise<Recorded> {
    const args = [id, call ?? '', JSON.stringify(decision), until]
    const reply = await this.calls.run(DECIDE, [turnKey(id), DUE], args)
    const [state, ...values] = reply as [Recorded['state'], ...string[]]
    switch (state) {
      case 'decided': return { state, verdict: JSON.parse(values[0]!) as ApprovalDecision }
      case 'complete': return { state, kept: parse(Object.fromEntries(toPairs(values)))! }
      default: return { state }
    }
  }

  lease(leaseMs: number, limit: number): Promise<string[]> {
    return this.calls.call(() => lease(this.client, DUE, leaseMs, limit))
  }

  async drop(id: string): Promise<void> {
    await this.calls.call(() => this.client.multi().del(turnKey(id)).zRem(DUE, id).exec())
  }
}

function toPairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index]!, flat[2 * index + 1]!])
}

function parse(fields: Record<string, string>): KeptTurn | null {
  if (!fields.turn) return null
  const turn = JSON.parse(fields.turn) as WaitingTurn
  const cards = JSON.parse(fields.cards ?? '[]') as (CardRef | null)[]
  return {
    turn,
    verdicts: turn.calls.map((_, position) => (
      fields[position] ? JSON.parse(fields[position]) as ApprovalDecision : null
    )),
    cards: turn.calls.map((_, position) => cards[position] ?? null),
    taken: fields.taken === '1',
  }
}
