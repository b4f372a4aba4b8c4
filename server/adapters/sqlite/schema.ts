/** Marks our files for tools and for us: "form" in ASCII (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x66_6F_72_6D

/**
 * Steps from each version of the schema to the next. A file keeps the number of steps that it has had. Never change a
 * step, append one.
 *
 * Times are in epoch ms. Rows with `until` are gone from that time on: `Database` deletes them, and queries skip them.
 */
export const MIGRATIONS: readonly string[] = [`
  -- \`record\` is everything but the content, \`list\` the list that it is in, \`due\` its next work.
  CREATE TABLE submissions (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, record TEXT NOT NULL, received INTEGER NOT NULL, list TEXT,
    due INTEGER, stuck INTEGER NOT NULL, taken INTEGER NOT NULL, until INTEGER NOT NULL
  );
  CREATE INDEX submissions_list ON submissions (list, received, id) WHERE list IS NOT NULL;
  CREATE INDEX submissions_stuck ON submissions (received, id) WHERE stuck;
  CREATE INDEX submissions_taken ON submissions (received, id) WHERE taken;
  CREATE INDEX submissions_due ON submissions (due) WHERE due IS NOT NULL;
  CREATE INDEX submissions_until ON submissions (until);

  -- The form's content has a table of its own: changes of the record do not write it again.
  CREATE TABLE contents (id TEXT PRIMARY KEY, text TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX contents_until ON contents (until);
  CREATE TABLE drafts (
    submission TEXT, draft TEXT, text TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (submission, draft)
  );
  CREATE INDEX drafts_until ON drafts (until);
  CREATE TRIGGER submissions_deleted AFTER DELETE ON submissions BEGIN
    DELETE FROM contents WHERE id = old.id;
  END;
  CREATE TRIGGER contents_deleted AFTER DELETE ON contents BEGIN
    DELETE FROM drafts WHERE submission = old.id;
  END;

  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, line TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX audit_at ON audit (at, seq);
  CREATE INDEX audit_until ON audit (until);
  CREATE TABLE tallies (
    hour INTEGER, event TEXT, count INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (hour, event)
  );
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX idempotency_until ON idempotency (until);
  CREATE TABLE counts (client TEXT PRIMARY KEY, count INTEGER NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX counts_until ON counts (until);

  -- Cards that wait, by arrival; \`stored\` is 1 if the card entered with its submission, 0 if it entered later.
  CREATE TABLE cards (room TEXT, id TEXT, at INTEGER NOT NULL, stored INTEGER NOT NULL, PRIMARY KEY (room, id));
  CREATE INDEX cards_order ON cards (room, at, stored);
  CREATE TABLE gates (room TEXT PRIMARY KEY, until INTEGER NOT NULL);
  CREATE TABLE notices (room TEXT, about TEXT, until INTEGER NOT NULL, PRIMARY KEY (room, about));

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
`]

/** Tables whose rows have an end. */
export const EXPIRING = [
  'submissions', 'contents', 'drafts', 'audit', 'tallies', 'idempotency', 'counts', 'gates', 'notices', 'approvals',
  'messages', 'threads', 'pairs', 'chat_values', 'chat_locks', 'chat_lists',
] as const
