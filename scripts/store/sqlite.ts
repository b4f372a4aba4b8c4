import { existsSync, renameSync, rmSync } from 'node:fs'
import { COPIED_TABLES, type Columns, type CopiedTable, type StoreCopy, type StoredRow } from './rows'
import { StoreUnusable } from '../../server/ports/store'
import { Database } from '../../server/adapters/sqlite/database'

/** Rows of a page. With content of 256 KiB each, a page takes 25 MB. */
const PAGE_ROWS = 100

/** Queries of tables that differ from what is copied. All rows of a list, and all drafts of a form, end together. */
const QUERIES: Partial<Record<CopiedTable, string>> = {
  submissions: `SELECT id, version, record, received, list, due, stuck, taken, retrying, content_until, until, text
    FROM submissions LEFT JOIN contents USING (seq) ORDER BY seq`,
  drafts: `SELECT id, draft, drafts.text, max(drafts.until) OVER (PARTITION BY seq) AS until
    FROM drafts JOIN submissions USING (seq)`,
  // In order of time, because the last line has the end of all lines in Redis.
  audit: 'SELECT * FROM audit ORDER BY at, seq',
  messages: `SELECT thread, message, attempt, threads.until
    FROM messages JOIN threads USING (thread) ORDER BY messages.seq`,
  pairs: 'SELECT * FROM pairs WHERE key <> \'probe\'',
}

/**
 * Opens a file for a copy. A target is written beside its path, and moved there when it is whole: no service can start
 * on half a copy.
 *
 * @throws StoreUnusable if a service uses the file, a source is missing, or a target exists
 */
export function openSqliteCopy(path: string, isTarget: boolean): StoreCopy {
  if (isTarget && existsSync(path)) throw new StoreUnusable(`${path} exists. Name a new file.`)
  if (!isTarget && !existsSync(path)) throw new StoreUnusable(`${path} does not exist.`)
  const file = isTarget ? `${path}.copy` : path
  const removeCopy = () => ['', '-wal', '-shm', '-lock'].forEach(end => rmSync(`${file}${end}`, { force: true }))
  const db = new Database(file)
  return {
    async* rows() {
      await db.tidy()
      for (const table of COPIED_TABLES) {
        let page: StoredRow[] = []
        for (const values of db.each<Partial<Columns>>(QUERIES[table] ?? `SELECT * FROM ${table} ORDER BY 1`)) {
          page.push({ table, values })
          if (page.length < PAGE_ROWS) continue
          yield page
          page = []
        }
        yield page
      }
    },
    write: rows => db.write(() => rows.forEach(row => insert(db, row))),
    isUsed: async () => false,
    begin: () => db.write(() => COPIED_TABLES.forEach(table => db.run(`DELETE FROM ${table}`))),
    async finish() {
      await db.close()
      if (existsSync(path)) throw new StoreUnusable(`${path} was created meanwhile. The copy is ${file}.`)
      renameSync(file, path)
      removeCopy()
    },
    close: () => db.close(),
  }
}

function insert(db: Database, { table, values: { text = null, ...values } }: StoredRow): void {
  if (table === 'drafts') {
    db.run(`INSERT INTO drafts (seq, draft, text, until) SELECT seq, ?, ?, ? FROM submissions WHERE id = ?`,
      values.draft!, text, values.until!, values.id!)
    return
  }
  const ends = table === 'submissions' && {
    ends: text === null ? values.until! : Math.min(values.content_until!, values.until!),
  }
  const columns = Object.entries({ ...values, ...ends })
  db.run(`INSERT INTO ${table} (${columns.map(([name]) => name).join()}) VALUES (${columns.map(() => '?').join()})`,
    ...columns.map(([, value]) => value))
  if (text !== null) db.run('INSERT INTO contents (seq, text) VALUES (last_insert_rowid(), ?)', text)
}
