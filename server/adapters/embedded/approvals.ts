import {
  GRACE_MS, type ApprovalStore, type KeptTurn, type Recorded, type ApprovalDecision, type WaitingTurn,
} from '../../ports/approvals'
import type { CardRef } from '../../ports/submission'
import { JsonFolder } from './files'

interface Entry {
  kept: KeptTurn
  /** Epoch ms. */
  due: number
}

/** Keeps waiting turns as files, for one process without Redis. Survives a restart. */
export class EmbeddedApprovals extends JsonFolder implements ApprovalStore {
  private readonly entries = new Map<string, Entry>()

  constructor(dir: string, private readonly now: () => number) {
    super(dir)
  }

  async keep(turn: WaitingTurn): Promise<void> {
    await this.loaded()
    const openCalls = turn.calls.map(() => null)
    await this.put({ kept: { turn, verdicts: openCalls, cards: openCalls, taken: false }, due: turn.expiresAt })
  }

  async attach(id: string, cards: readonly (CardRef | null)[]): Promise<void> {
    await this.loaded()
    const entry = this.entry(id)
    if (entry) await this.put({ ...entry, kept: { ...entry.kept, cards } })
  }

  async get(id: string): Promise<KeptTurn | null> {
    await this.loaded()
    return this.entry(id)?.kept ?? null
  }

  async kept(limit: number): Promise<string[]> {
    await this.loaded()
    const entries = [...this.entries.values()].toSorted((a, b) => a.due - b.due)
    return entries.slice(0, limit).map(({ kept }) => kept.turn.id)
  }

  async decide(id: string, call: number | null, decision: ApprovalDecision, until: number): Promise<Recorded> {
    await this.loaded()
    // Do not await from here until the entry is replaced: that makes the change atomic.
    const entry = this.entry(id)
    const existing = call === null ? undefined : entry?.kept.verdicts[call]
    if (!entry || (existing === undefined && (call !== null || entry.kept.taken))) return { state: 'gone' }
    if (existing) return { state: 'decided', verdict: existing }
    const verdicts = entry.kept.verdicts.map((each, position) => each
      ?? (call === null || call === position ? decision : null))
    const isTaken = verdicts.every(Boolean)
    const keptTurn = { ...entry.kept, verdicts, taken: isTaken }
    await this.put({ kept: keptTurn, due: isTaken ? until : entry.due })
    return isTaken ? { state: 'complete', kept: keptTurn } : { state: 'recorded' }
  }

  async lease(leaseMs: number, limit: number): Promise<string[]> {
    await this.loaded()
    const now = this.now()
    const dueEntries = [...this.entries.values()].filter(entry => entry.due <= now).slice(0, limit)
    // Keep leases only in memory: only this process can hold them, and they end with it.
    for (const entry of dueEntries) entry.due = now + leaseMs
    return dueEntries.map(({ kept }) => kept.turn.id)
  }

  async drop(id: string): Promise<void> {
    await this.loaded()
    this.entries.delete(id)
    await this.inTurn(id, () => this.files.removeItem(id))
  }

  private async put(entry: Entry): Promise<void> {
    const { id } = entry.kept.turn
    this.entries.set(id, entry)
    await this.inTurn(id, () => this.files.setItemRaw(id, JSON.stringify(entry)))
  }

  private entry(id: string): Entry | undefined {
    const entry = this.entries.get(id)
    return entry && this.now() < entry.kept.turn.expiresAt + GRACE_MS ? entry : undefined
  }

  protected restore(id: string, text: string): void {
    this.entries.set(id, JSON.parse(text) as Entry)
  }
}
