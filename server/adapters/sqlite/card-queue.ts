import { NOTICE_TTL_MS } from '../../../shared/lifetimes'
import type { CardQueueStore, Pace, QueuedCard, QueueTurn, RoomNotice } from '../../ports/card-queue'
import type { Database } from './database'

const IN_ORDER = 'ORDER BY at, stored, seq'

interface Card { at: number, stored: 0 | 1, seq: number, id: string }

/** Keeps the queues of cards in SQLite. The gate of a room is closed until a time. */
export class SqliteCardQueue implements CardQueueStore {
  constructor(private readonly db: Database) {}

  enter(room: string, { id, receivedAt }: QueuedCard): Promise<number> {
    const positionOf = () => this.cards(room).findIndex(card => card.id === id) + 1
    return this.db.write(() => {
      if (positionOf() === 0) add(this.db, room, id, receivedAt, 0)
      return positionOf()
    })
  }

  take({ room, intervalMs }: Pace): Promise<QueueTurn> {
    const { db } = this
    return db.write((): QueueTurn => {
      const [first] = this.cards(room, 1)
      if (!first) return { id: null, waitMs: null }
      const waitMs = opensAt(db, room) - db.now()
      if (waitMs > 0) return { id: null, waitMs }
      close(db, room, db.now() + intervalMs)
      const { at, stored, seq } = first
      db.run('DELETE FROM cards WHERE room = ? AND at = ? AND stored = ? AND seq = ?', room, at, stored, seq)
      return { id: first.id }
    })
  }

  async pause(room: string, pauseMs: number): Promise<void> {
    await this.db.write(() => close(this.db, room, pauseMs > 0 ? this.db.now() + pauseMs : 0))
  }

  async length(room: string): Promise<number> {
    return lengthOf(this.db, room)
  }

  async takeNotice(room: string, about: RoomNotice): Promise<boolean> {
    const now = this.db.now()
    return await this.db.write(() => this.db.run(`
      INSERT INTO notices (room, about, until) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET until = excluded.until WHERE until <= ?`, room, about, now + NOTICE_TTL_MS, now)) === 1
  }

  async forgetNotice(room: string, about: RoomNotice): Promise<void> {
    await this.db.write(() => this.db.run('DELETE FROM notices WHERE room = ? AND about = ?', room, about))
  }

  private cards(room: string, limit = -1): Card[] {
    return this.db.all(`SELECT * FROM cards WHERE room = ? ${IN_ORDER} LIMIT ?`, room, limit)
  }
}

/**
 * Returns the place of a submission that is being stored, in the same `write`; 0 if its card may be posted at once.
 */
export function queueStored(db: Database, { room, intervalMs }: Pace, id: string): number {
  const waiting = lengthOf(db, room)
  const now = db.now()
  if (waiting > 0 || opensAt(db, room) > now) {
    add(db, room, id, now, 1)
    return waiting + 1
  }
  close(db, room, now + intervalMs)
  return 0
}

function lengthOf(db: Database, room: string): number {
  return db.get<{ waiting: number }>('SELECT waiting FROM queues WHERE room = ?', room)?.waiting ?? 0
}

function add(db: Database, room: string, id: string, at: number, stored: 0 | 1): void {
  db.run(`INSERT INTO cards (room, at, stored, seq, id) VALUES (?1, ?2, ?3,
    (SELECT ifnull(max(seq), 0) + 1 FROM cards WHERE room = ?1 AND at = ?2 AND stored = ?3), ?4)`, room, at, stored, id)
}

function opensAt(db: Database, room: string): number {
  return db.get<{ until: number }>('SELECT until FROM gates WHERE room = ?', room)?.until ?? 0
}

function close(db: Database, room: string, until: number): void {
  db.run('INSERT INTO gates (room, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until', room, Math.ceil(until))
}
