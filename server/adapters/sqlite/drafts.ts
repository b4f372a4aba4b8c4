import type { Drafts } from '../../ports/drafts'
import type { Database } from './database'

/** Keeps drafts in SQLite. A trigger of the schema deletes them with the form data of their submission. */
export function createSqliteDrafts(db: Database): Drafts {
  return {
    save: async (submission, draft, text, ttlMs) => {
      await db.write(() => db.run(`
        INSERT INTO drafts (submission, draft, text, until)
          SELECT id, ?2, ?3, min(until, ?4) FROM contents WHERE id = ?1 AND until > ?5
        ON CONFLICT DO UPDATE SET text = excluded.text, until = excluded.until`,
      submission, draft, text, db.now() + ttlMs, db.now()))
    },
    load: async (submission, draft) => {
      const row = db.get<{ text: string | null }>(`
        SELECT (SELECT text FROM drafts WHERE submission = id AND draft = ?2 AND until > ?3) AS text
        FROM contents WHERE id = ?1 AND until > ?3`, submission, draft, db.now())
      return { text: row?.text ?? null, isErased: row === undefined }
    },
    remove: async (submission, draft) => {
      await db.write(() => db.run('DELETE FROM drafts WHERE submission = ? AND draft = ?', submission, draft))
    },
  }
}
