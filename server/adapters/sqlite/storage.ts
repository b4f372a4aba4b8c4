import { createStorage, type Storage } from 'unstorage'
import type { Database } from './database'

const ALIVE = '(until IS NULL OR until > ?)'

/** Small values in SQLite. `setItem` has the option `ttl`, s. */
export function createSqliteStorage(db: Database) {
  const getItem = (key: string) => (
    db.get<{ value: string }>(`SELECT value FROM pairs WHERE key = ? AND ${ALIVE}`, key, db.now())?.value ?? null
  )
  const set = (key: string, value: string, until: number | null) => db.run(
    'INSERT OR REPLACE INTO pairs (key, value, until) VALUES (?, ?, ?)', key, value, until,
  )
  const remove = (key: string) => db.run('DELETE FROM pairs WHERE key = ?', key)

  const storage: Storage = createStorage({ driver: {
    name: 'sqlite',
    getItem,
    hasItem: key => getItem(key) !== null,
    setItem: async (key, value, { ttl }: { ttl?: number } = {}) => {
      await db.write(() => set(key, value, ttl === undefined ? null : db.now() + ttl * 1000))
    },
    removeItem: async (key) => {
      await db.write(() => remove(key))
    },
    getKeys: base => db.all<{ key: string }>(`SELECT key FROM pairs WHERE ${ALIVE}`, db.now()).flatMap(({ key }) => (
      key.startsWith(base) ? [key] : []
    )),
  } })
  return Object.assign(storage, {
    /** Replaces a value if it is still `before`; null stands for no value. */
    swap: (key: string, before: string | null, after: string | null) => db.write(() => {
      if (getItem(key) !== before) return false
      if (after === null) remove(key)
      else set(key, after, null)
      return true
    }),
  })
}
