import type { Database } from './database'

/** Tables whose rows have work, due at a time. */
type Table = 'submissions' | 'approvals'

/** Returns the ids of rows that are due, earliest first, and postpones them: nobody else gets them for `leaseMs`. */
export async function leaseDue(db: Database, table: Table, leaseMs: number, limit: number): Promise<string[]> {
  // Sweeps ask often, and mostly in vain: then nothing is written.
  if (dueBy(db, table, db.now(), 1).length === 0) return []
  return db.write(() => {
    const ids = dueBy(db, table, db.now(), limit)
    for (const id of ids) db.run(`UPDATE ${table} SET due = ? WHERE id = ?`, db.now() + leaseMs, id)
    return ids
  })
}

/** Returns the ids of rows that are due by a time, epoch ms; earliest first. */
export function dueBy(db: Database, table: Table, until: number, limit: number): string[] {
  const rows = db.all<{ id: string }>(`SELECT id FROM ${table} WHERE due <= ? ORDER BY due LIMIT ?`, until, limit)
  return rows.map(({ id }) => id)
}
