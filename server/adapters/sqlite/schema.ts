/** Marks our files for tools and for us: "form" in ASCII (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x66_6F_72_6D

/**
 * Steps from each version of the schema to the next. A file keeps the number of steps that it has had. Never change a
 * step, append one.
 *
 * Times are in epoch ms. Rows with `until` are gone from that time on: `Database` deletes them, and queries skip them.
 */
export const MIGRATIONS: readonly string[] = [`
  -- \`record\` is everything but the content, \`list\` the list that it is in, \`due\` its next work. \`ends\` is the end of
  -- its content (\`content_until\`) while that is there, and its own end afterwards: one index finds both.
  CREATE TABLE submissions (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, record TEXT NOT NULL,
    received INTEGER NOT NULL, list TEXT, due INTEGER, stuck INTEGER NOT NULL, taken INTEGER NOT NULL,
    content_until INTEGER NOT NULL, until INTEGER NOT NULL, ends INTEGER NOT NULL
  );
  CREATE INDEX submissions_list ON submissions (list, received, id) WHERE list IS NOT NULL;
  CREATE INDEX submissions_stuck ON submissions (received, id) WHERE stuck;
  CREATE INDEX submissions_taken ON submissions (received, id) WHERE taken;
  CREATE INDEX submissions_due ON submissions (due) WHERE due IS NOT NULL;
  CREATE INDEX submissions_ends ON submissions (ends);

  -- The form's content has a table of its own: changes of the record do not write it again.
  CREATE TABLE contents (seq INTEGER PRIMARY KEY, text TEXT NOT NULL);
  -- Edit forms that are open.
  CREATE TABLE drafts (
    seq INTEGER, draft TEXT, text TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (seq, draft)
  ) WITHOUT ROWID;
  CREATE TRIGGER submissions_deleted AFTER DELETE ON submissions BEGIN
    DELETE FROM contents WHERE seq = old.seq;
  END;
  CREATE TRIGGER contents_deleted AFTER DELETE ON contents BEGIN
    DELETE FROM drafts WHERE seq = old.seq;
  END;

  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, line TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX audit_at ON audit (at, seq);
  CREATE INDEX audit_until ON audit (until);
  CREATE TABLE tallies (
    hour INTEGER, event TEXT, count INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (hour, event)
  ) WITHOUT ROWID;
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX idempotency_until ON idempotency (until);
  CREATE TABLE counts (client TEXT PRIMARY KEY, count INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX counts_until ON counts (until);

  -- Cards that wait, in their order; \`stored\` is 1 if the card entered with its submission, 0 if it entered later.
  CREATE TABLE cards (
    room TEXT, at INTEGER, stored INTEGER, seq INTEGER, id TEXT NOT NULL, PRIMARY KEY (room, at, stored, seq)
  ) WITHOUT ROWID;
  -- Number of cards that wait in each room: after an outage it may be thousands, too many to count for each form.
  CREATE TABLE queues (room TEXT PRIMARY KEY, waiting INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TRIGGER cards_added AFTER INSERT ON cards BEGIN
    INSERT INTO queues (room, waiting) VALUES (new.room, 1) ON CONFLICT DO UPDATE SET waiting = waiting + 1;
  END;
  CREATE TRIGGER cards_deleted AFTER DELETE ON cards BEGIN
    UPDATE queues SET waiting = waiting - 1 WHERE room = old.room;
  END;
  CREATE TABLE gates (room TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE notices (room TEXT, about TEXT, until INTEGER NOT NULL, PRIMARY KEY (room, about)) WITHOUT ROWID;

  -- Turns of the agent that wait for approval; \`verdicts\` and \`cards\` are lists in JSON.
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY, turn TEXT NOT NULL, verdicts TEXT NOT NULL, cards TEXT NOT NULL, taken INTEGER NOT NULL,
    due INTEGER NOT NULL, until INTEGER NOT NULL
  );
  CREATE INDEX approvals_due ON approvals (due);
  -- Messages that wait for an answer. \`moved\` is the time of their thread's last progress.
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY, thread TEXT NOT NULL, message TEXT NOT NULL, attempt INTEGER NOT NULL, until INTEGER NOT NULL
  );
  CREATE INDEX messages_thread ON messages (thread, seq);
  CREATE TABLE threads (thread TEXT PRIMARY KEY, moved INTEGER NOT NULL, until INTEGER NOT NULL);

  -- Small values of \`adapters/storage\`.
  CREATE TABLE pairs (key TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER);

  -- The Chat SDK's state.
  CREATE TABLE chat_values (key TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER);
  CREATE INDEX chat_values_until ON chat_values (until) WHERE until IS NOT NULL;
  CREATE TABLE chat_subscriptions (thread TEXT PRIMARY KEY);
  CREATE TABLE chat_locks (thread TEXT PRIMARY KEY, token TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE TABLE chat_lists (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, until INTEGER
  );
  CREATE INDEX chat_lists_key ON chat_lists (kind, key, seq);
  CREATE INDEX chat_lists_until ON chat_lists (until) WHERE until IS NOT NULL;
`, `
  ALTER TABLE submissions ADD COLUMN retrying INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX submissions_retrying ON submissions (received, id) WHERE retrying;
`]

const TABLES = [
  'drafts', 'audit', 'tallies', 'idempotency', 'counts', 'gates', 'notices', 'approvals', 'messages', 'threads',
  'pairs', 'chat_values', 'chat_locks', 'chat_lists',
]

/** Queries that find an expired row if there is any, and statements that delete them all. Each takes the time. */
export const EXPIRING: readonly { any: string, deletes: readonly string[] }[] = [
  {
    any: 'SELECT 1 FROM submissions WHERE ends <= ? LIMIT 1',
    deletes: [
      'DELETE FROM submissions WHERE ends <= ?1 AND until <= ?1',
      'DELETE FROM contents WHERE seq IN (SELECT seq FROM submissions WHERE ends <= ?1 AND content_until <= ?1)',
      'UPDATE submissions SET ends = until WHERE ends <= ?1',
    ],
  },
  ...TABLES.map(table => ({
    any: `SELECT 1 FROM ${table} WHERE until <= ? LIMIT 1`, deletes: [`DELETE FROM ${table} WHERE until <= ?`],
  })),
]
