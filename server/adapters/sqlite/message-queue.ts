import type { MessageQueue, QueueLimits } from '../../ports/message-queue'
import type { Database } from './database'

interface Message { seq: number, message: string, attempt: number }

const FIRST = 'SELECT seq, message, attempt FROM messages WHERE thread = ? AND until > ? ORDER BY seq LIMIT 1'

export class SqliteMessageQueue implements MessageQueue {
  constructor(private readonly db: Database, private readonly limits: QueueLimits) {}

  async add(thread: string, message: string): Promise<void> {
    const { db, limits } = this
    const until = db.now() + limits.keptMs
    await db.write(() => {
      db.run('INSERT INTO messages (thread, message, attempt, until) VALUES (?, ?, 0, ?)', thread, message, until)
      db.run(`DELETE FROM messages WHERE thread = ?1 AND seq <= (
        SELECT seq FROM messages WHERE thread = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`, thread, limits.most)
      // The thread ends with its last message; only `moved` tells how long it has waited.
      db.run(`INSERT INTO threads (thread, moved, until) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET until = excluded.until`, thread, db.now(), until)
    })
  }

  first(thread: string): Promise<{ message: string, attempt: number } | null> {
    const { db } = this
    return db.write(() => {
      const head = db.get<Message>(FIRST, thread, db.now())
      if (!head) return null
      db.run('UPDATE messages SET attempt = attempt + 1 WHERE seq = ?', head.seq)
      this.move(thread)
      return { message: head.message, attempt: head.attempt + 1 }
    })
  }

  async remove(thread: string, message: string): Promise<void> {
    const { db } = this
    await db.write(() => {
      const head = db.get<Message>(FIRST, thread, db.now())
      if (head?.message !== message) return
      db.run('DELETE FROM messages WHERE seq = ?', head.seq)
      if (db.get(FIRST, thread, db.now())) this.move(thread)
      else db.run('DELETE FROM threads WHERE thread = ?', thread)
    })
  }

  async isEmpty(thread: string): Promise<boolean> {
    return this.db.get(FIRST, thread, this.db.now()) === undefined
  }

  async stalled(ms: number, limit: number): Promise<string[]> {
    const { db } = this
    const stalled = () => db.all<{ thread: string }>(
      'SELECT thread FROM threads WHERE moved <= ? AND until > ? ORDER BY moved LIMIT ?', db.now() - ms, db.now(), limit,
    ).map(({ thread }) => thread)
    // Sweeps ask often, and mostly in vain: then nothing is written.
    if (stalled().length === 0) return []
    return db.write(() => {
      const threads = stalled()
      for (const thread of threads) this.move(thread)
      return threads
    })
  }

  private move(thread: string): void {
    this.db.run('UPDATE threads SET moved = ? WHERE thread = ?', this.db.now(), thread)
  }
}
