import type { Drafts } from '../../ports/drafts'
import type { Database } from './database'

/** ?1 is the submission, ?5 the time. */
const WITH_CONTENT = 'FROM submissions JOIN contents USING (seq) WHERE id = ?1 AND content_until > ?5'

/** Keeps drafts in SQLite. A trigger of the schema deletes them with the form data of their submission. */
export function createSqliteDrafts(db: Database): Drafts {
  return {
    save: async (submission, draft, text, ttlMs) => {
      await db.write(() => db.run(`
        INSERT INTO drafts (seq, draft, text, until)
          SELECT seq, ?2, ?3, min(content_until, ?4) ${WITH_CONTENT}
        ON CONFLICT DO UPDATE SET text = excluded.text, until = excluded.until`,
      submission, draft, text, db.now() + ttlMs, db.now()))
    },
    load: async (submission, draft) => {
      const row = db.get<{ text: string | null }>(`
        SELECT (SELECT text FROM drafts WHERE drafts.seq = submissions.seq AND draft = ?2 AND until > ?5) AS text
        ${WITH_CONTENT}`, submission, draft, null, null, db.now())
      return { text: row?.text ?? null, isErased: row === undefined }
    },
    remove: async (submission, draft) => {
      await db.write(() => db.run(
        'DELETE FROM drafts WHERE seq = (SELECT seq FROM submissions WHERE id = ?) AND draft = ?', submission, draft,
      ))
    },
  }
}
