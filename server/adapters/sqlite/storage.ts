import { createStorage, type Storage } from 'unstorage'
import type { Database } from './database'

const ALIVE = '(until IS NULL OR until > ?)'

/** Small values in SQLite. Options of `setItem`: `ttl`, s; `ifAbsent` keeps a value that is there. */
export function createSqliteStorage(db: Database): Storage {
  const getItem = (key: string) => (
    db.get<{ value: string }>(`SELECT value FROM pairs WHERE key = ? AND ${ALIVE}`, key, db.now())?.value ?? null
  )
  return createStorage({ driver: {
    name: 'sqlite',
    getItem,
    hasItem: key => getItem(key) !== null,
    setItem: async (key, value, { ttl, ifAbsent }: { ttl?: number, ifAbsent?: boolean } = {}) => {
      const until = ttl === undefined ? null : db.now() + ttl * 1000
      await db.write(() => (ifAbsent && getItem(key) !== null) || db.run(
        'INSERT OR REPLACE INTO pairs (key, value, until) VALUES (?, ?, ?)', key, value, until,
      ))
    },
    removeItem: async (key) => {
      await db.write(() => db.run('DELETE FROM pairs WHERE key = ?', key))
    },
    getKeys: base => db.all<{ key: string }>(`SELECT key FROM pairs WHERE ${ALIVE}`, db.now()).flatMap(({ key }) => (
      key.startsWith(base) ? [key] : []
    )),
  } })
}
