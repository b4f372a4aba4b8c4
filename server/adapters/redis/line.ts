import type { CardLine, Taken, Turn } from '../../ports/line'
import { createCalls, type Calls } from './calls'
import type { RedisClient } from './client'
import { ENTER, TAKE } from './line-scripts'
import { run } from './scripts'

/** A backlog notice that nobody took back is forgotten after this, so that a later backlog is announced again. */
const NOTICE_TTL_MS = 24 * 60 * 60 * 1000

/** The line of cards in Redis: a sorted set by arrival, a hash of who is being posted, and a gate that expires. */
export class RedisCardLine implements CardLine {
  private readonly calls: Calls

  constructor(private readonly client: RedisClient) {
    this.calls = createCalls(client)
  }

  async enter({ room, intervalMs }: Turn, id: string, { leaseMs, first }: { leaseMs: number, first?: boolean }): Promise<number> {
    const args = [id, leaseMs, intervalMs, first ? 'first' : ''].map(String)
    return await this.call(() => run(this.client, ENTER, keys(room), args)) as number
  }

  async take({ room, intervalMs }: Turn, leaseMs: number): Promise<Taken> {
    const [id, waitMs] = await this.call(() => run(this.client, TAKE, keys(room), [leaseMs, intervalMs].map(String))) as [string, number]
    return id ? { id } : { id: null, waitMs: waitMs < 0 ? null : waitMs }
  }

  async leave(room: string, id: string): Promise<void> {
    const { line, taken } = named(room)
    await this.call(() => Promise.all([this.client.zRem(line, id), this.client.hDel(taken, id)]))
  }

  async close(room: string, ms: number): Promise<void> {
    await this.call(() => this.client.set(named(room).gate, '1', { PX: Math.ceil(ms) }))
  }

  length(room: string): Promise<number> {
    return this.call(() => this.client.zCard(named(room).line))
  }

  async takeNotice(room: string): Promise<boolean> {
    return await this.call(() => this.client.set(named(room).notice, '1', { NX: true, PX: NOTICE_TTL_MS })) !== null
  }

  async forgetNotice(room: string): Promise<void> {
    await this.call(() => this.client.del(named(room).notice))
  }

  private call<T>(command: () => Promise<T>): Promise<T> {
    return this.calls.call(command)
  }
}

/** One hash tag with the submissions, so that a cluster keeps them together. */
function named(room: string) {
  const key = (name: string) => `{triage}:line:${room}:${name}`
  return { line: key('waiting'), taken: key('taken'), gate: key('gate'), arrivals: key('arrivals'), notice: key('notice') }
}

function keys(room: string): string[] {
  const { line, taken, gate, arrivals } = named(room)
  return [line, taken, gate, arrivals]
}
