import { randomUUID } from 'node:crypto'
import type { Lock, QueueEntry, StateAdapter } from 'chat'
import type { Database } from './database'

/** Lists that the state keeps: those of the SDK's users, and the messages that wait in a thread. */
type Kind = 'list' | 'queue'

interface Row { seq: number, value: string }

const ALIVE = '(until IS NULL OR until > ?)'

/** Min time for which a queue is kept, ms, as in the SDK's own state. */
const LEAST_QUEUED_MS = 60_000

/** State of the Chat SDK in SQLite. */
export class SqliteState implements StateAdapter {
  constructor(private readonly db: Database) {}

  async connect(): Promise<void> {}
  async disconnect(): Promise<void> {}

  async subscribe(thread: string): Promise<void> {
    await this.write('INSERT INTO chat_subscriptions (thread) VALUES (?) ON CONFLICT DO NOTHING', thread)
  }

  async unsubscribe(thread: string): Promise<void> {
    await this.write('DELETE FROM chat_subscriptions WHERE thread = ?', thread)
  }

  async isSubscribed(thread: string): Promise<boolean> {
    return this.db.get('SELECT 1 FROM chat_subscriptions WHERE thread = ?', thread) !== undefined
  }

  async acquireLock(threadId: string, ttlMs: number): Promise<Lock | null> {
    const now = this.db.now()
    const lock = { threadId, token: randomUUID(), expiresAt: now + ttlMs }
    const taken = await this.write(`
      INSERT INTO chat_locks (thread, token, until) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET token = excluded.token, until = excluded.until WHERE until <= ?`,
    threadId, lock.token, lock.expiresAt, now)
    return taken > 0 ? lock : null
  }

  async extendLock({ threadId, token }: Lock, ttlMs: number): Promise<boolean> {
    const now = this.db.now()
    return await this.write(
      'UPDATE chat_locks SET until = ? WHERE thread = ? AND token = ? AND until > ?', now + ttlMs, threadId, token, now,
    ) > 0
  }

  async releaseLock({ threadId, token }: Lock): Promise<void> {
    await this.write('DELETE FROM chat_locks WHERE thread = ? AND token = ?', threadId, token)
  }

  async forceReleaseLock(threadId: string): Promise<void> {
    await this.write('DELETE FROM chat_locks WHERE thread = ?', threadId)
  }

  async get<T = unknown>(key: string): Promise<T | null> {
    const row = this.db.get<Row>(`SELECT value FROM chat_values WHERE key = ? AND ${ALIVE}`, key, this.db.now())
    return row ? JSON.parse(row.value) as T : null
  }

  async set<T = unknown>(key: string, value: T, ttlMs?: number): Promise<void> {
    await this.write(
      'INSERT OR REPLACE INTO chat_values (key, value, until) VALUES (?, ?, ?)',
      key, JSON.stringify(value), this.end(ttlMs),
    )
  }

  async setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean> {
    return await this.write(`
      INSERT INTO chat_values (key, value, until) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value, until = excluded.until WHERE until <= ?`,
    key, JSON.stringify(value), this.end(ttlMs), this.db.now()) > 0
  }

  async delete(key: string): Promise<void> {
    await this.write('DELETE FROM chat_values WHERE key = ?', key)
  }

  async appendToList(key: string, value: unknown, options: { maxLength?: number, ttlMs?: number } = {}): Promise<void> {
    await this.db.write(() => this.append('list', key, value, options.maxLength, this.end(options.ttlMs)))
  }

  async getList<T = unknown>(key: string): Promise<T[]> {
    return this.rows('list', key).map(({ value }) => JSON.parse(value) as T)
  }

  enqueue(threadId: string, entry: QueueEntry, maxSize: number): Promise<number> {
    return this.db.write(() => {
      this.append('queue', threadId, entry, maxSize, Math.max(entry.expiresAt, this.db.now() + LEAST_QUEUED_MS))
      return this.rows('queue', threadId).length
    })
  }

  dequeue(threadId: string): Promise<QueueEntry | null> {
    return this.db.write(() => {
      const [first] = this.rows('queue', threadId)
      if (!first) return null
      this.db.run('DELETE FROM chat_lists WHERE seq = ?', first.seq)
      return JSON.parse(first.value) as QueueEntry
    })
  }

  async queueDepth(threadId: string): Promise<number> {
    return this.rows('queue', threadId).length
  }

  private write(sql: string, ...values: Parameters<Database['run']>[1][]): Promise<number> {
    return this.db.write(() => this.db.run(sql, ...values))
  }

  /** Appends a value and keeps the newest `maxLength`. The list has one end, which stays unless there is a new one. */
  private append(kind: Kind, key: string, value: unknown, maxLength: number | undefined, until: number | null): void {
    const { db } = this
    db.run('DELETE FROM chat_lists WHERE kind = ? AND key = ? AND until <= ?', kind, key, db.now())
    db.run('INSERT INTO chat_lists (kind, key, value) VALUES (?, ?, ?)', kind, key, JSON.stringify(value))
    db.run(`UPDATE chat_lists SET until = ifnull(?3, (
      SELECT max(until) FROM chat_lists WHERE kind = ?1 AND key = ?2)) WHERE kind = ?1 AND key = ?2`, kind, key, until)
    if (maxLength) db.run(`DELETE FROM chat_lists WHERE kind = ?1 AND key = ?2 AND seq <= (
      SELECT seq FROM chat_lists WHERE kind = ?1 AND key = ?2 ORDER BY seq DESC LIMIT 1 OFFSET ?3)`, kind, key, maxLength)
  }

  private rows(kind: Kind, key: string): Row[] {
    return this.db.all<Row>(
      `SELECT seq, value FROM chat_lists WHERE kind = ? AND key = ? AND ${ALIVE} ORDER BY seq`, kind, key, this.db.now(),
    )
  }

  private end(ttlMs: number | undefined): number | null {
    return ttlMs ? this.db.now() + ttlMs : null
  }
}
