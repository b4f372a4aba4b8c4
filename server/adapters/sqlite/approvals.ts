import {
  GRACE_MS, type ApprovalStore, type KeptTurn, type Recorded, type ApprovalDecision, type WaitingTurn,
} from '../../ports/approvals'
import type { CardRef } from '../../ports/submission'
import type { Database } from './database'
import { leaseDue } from './due'

interface Row { turn: string, verdicts: string, cards: string, taken: number }

export class SqliteApprovals implements ApprovalStore {
  constructor(private readonly db: Database) {}

  async keep(turn: WaitingTurn): Promise<void> {
    const open = JSON.stringify(turn.calls.map(() => null))
    await this.db.write(() => this.db.run(`
      INSERT OR REPLACE INTO approvals (id, turn, verdicts, cards, taken, due, until) VALUES (?, ?, ?, ?, 0, ?, ?)`,
    turn.id, JSON.stringify(turn), open, open, turn.expiresAt, turn.expiresAt + GRACE_MS))
  }

  async attach(id: string, cards: readonly (CardRef | null)[]): Promise<void> {
    await this.db.write(() => this.db.run('UPDATE approvals SET cards = ? WHERE id = ?', JSON.stringify(cards), id))
  }

  async get(id: string): Promise<KeptTurn | null> {
    return this.find(id)
  }

  async kept(limit: number): Promise<string[]> {
    return this.db.all<{ id: string }>('SELECT id FROM approvals ORDER BY due LIMIT ?', limit).map(({ id }) => id)
  }

  decide(id: string, call: number | null, decision: ApprovalDecision, until: number): Promise<Recorded> {
    return this.db.write((): Recorded => {
      const kept = this.find(id)
      const existing = call === null ? undefined : kept?.verdicts[call]
      if (!kept || (existing === undefined && (call !== null || kept.taken))) return { state: 'gone' }
      if (existing) return { state: 'decided', verdict: existing }
      const verdicts = kept.verdicts.map((each, position) => (
        each ?? (call === null || call === position ? decision : null)
      ))
      const taken = verdicts.every(Boolean)
      this.db.run('UPDATE approvals SET verdicts = ?, taken = ?, due = iif(?2, ?3, due) WHERE id = ?4',
        JSON.stringify(verdicts), Number(taken), until, id)
      return taken ? { state: 'complete', kept: { ...kept, verdicts, taken } } : { state: 'recorded' }
    })
  }

  lease(leaseMs: number, limit: number): Promise<string[]> {
    return leaseDue(this.db, 'approvals', leaseMs, limit)
  }

  async drop(id: string): Promise<void> {
    await this.db.write(() => this.db.run('DELETE FROM approvals WHERE id = ?', id))
  }

  private find(id: string): KeptTurn | null {
    const row = this.db.get<Row>('SELECT * FROM approvals WHERE id = ? AND until > ?', id, this.db.now())
    if (!row) return null
    const { turn, verdicts, cards } = row
    const list = JSON.parse as <T>(text: string) => T[]
    return {
      turn: JSON.parse(turn) as WaitingTurn, verdicts: list<ApprovalDecision | null>(verdicts),
      cards: list<CardRef | null>(cards), taken: row.taken === 1,
    }
  }
}
