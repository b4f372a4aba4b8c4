import { closeSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { StoreFull, StoreUnusable } from '../../ports/store'
import { APPLICATION_ID, EXPIRING, MIGRATIONS } from './schema'

/** Interval at which expired rows are deleted, ms. */
const PURGE_MS = 1000

/** Time without a write after which erased text is removed from the log, ms; and the longest time if writes go on. */
const CALM_MS = 500
const MOST_BUSY_MS = 10_000

/** Interval at which free pages go back to the disk, when nothing is being written, ms; and how many, about 4 MB. */
const SHRINK_MS = 60_000
const SHRINK_PAGES = 1000

/** Age of the last commit from which `check` writes something, ms: often enough to notice, too rare to wear a disk. */
const PROOF_MS = 60_000

/** Max wait for another program that writes, such as `sqlite3`, ms. */
const BUSY_MS = 1000

/** Primary result codes (https://www.sqlite.org/rescode.html). */
const CODES = { BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 }

const REASONS: Readonly<Record<number, string>> = {
  [CODES.BUSY]: 'Another program writes to the file of STORE_URL, and does not end.',
  [CODES.READONLY]: 'The file of STORE_URL cannot be written: it, its folder or its disk is read-only.',
  [CODES.IOERR]: 'The disk of STORE_URL reports an error, or is full; the log of the machine says more.',
  [CODES.CORRUPT]: 'The file of STORE_URL is damaged. Restore a backup (docs/deploy.md).',
  [CODES.FULL]: 'The disk of STORE_URL is full. Make room; forms are stored again at once.',
  [CODES.CANTOPEN]: 'The file of STORE_URL cannot be opened: its folder is missing, or may not be used.',
  [CODES.NOTADB]: 'The file of STORE_URL is no SQLite database.',
}

type SqlValue = SQLInputValue

interface Change {
  /** Runs in the transaction, and keeps its result. */
  run: () => void
  settle: () => void
  reject: (reason: unknown) => void
}

/**
 * The SQLite file that all ports of one process share. Reads are synchronous. The writes of one turn of the event loop
 * are one commit, which is on the disk before they resolve.
 */
export class Database {
  private readonly db!: DatabaseSync
  private readonly lock: DatabaseSync | undefined
  private readonly statements = new Map<string, StatementSync>()
  private changes: Change[] = []
  private failure: unknown
  private committedAt = performance.now()
  private shrunkAt = performance.now()
  private checkpointedAt = performance.now()
  private isTidy = true
  private readonly timer: ReturnType<typeof setInterval>

  /**
   * @param path `:memory:`, or a file, created if missing with its folder. One process at a time may open it.
   * @param now epoch ms
   * @throws StoreUnusable if another process has it, or it is damaged, of a newer version or of another program
   */
  constructor(path: string, readonly now: () => number = Date.now) {
    try {
      this.lock = path === ':memory:' ? undefined : lockFile(path)
      this.db = new DatabaseSync(path, { timeout: BUSY_MS })
      this.prepareFile(path)
    }
    catch (error) {
      for (const file of [this.db, this.lock]) file?.close()
      throw error instanceof StoreUnusable ? error : new StoreUnusable(startAdvice(path, error), { cause: error })
    }
    this.timer = setInterval(() => this.tick().catch(() => { /* Kept as the failure, and tried again. */ }), PURGE_MS)
    this.timer.unref()
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.statement(sql).all(...values) as Row[]
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.statement(sql).get(...values) as Row | undefined
  }

  /** Yields rows, with one in memory at a time. */
  each<Row>(sql: string): Iterable<Row> {
    return this.db.prepare(sql).iterate() as Iterable<Row>
  }

  /** Returns the number of changed rows. Call it only within `write`. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.statement(sql).run(...values).changes)
  }

  /**
   * Runs a change in the transaction of this turn. If it throws, only this change is undone.
   *
   * @throws StoreFull if the disk is full; in this case, and if the disk fails, nothing of the turn is stored
   */
  write<T>(change: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let result: { value: T } | { error: unknown }
    const run = () => {
      try {
        result = { value: change() }
      }
      catch (error) {
        if (codeOf(error) !== undefined) throw error
        this.run('ROLLBACK TO change')
        result = { error }
      }
    }
    const settle = () => 'value' in result ? resolve(result.value) : reject(result.error)
    if (this.changes.push({ run, settle, reject }) === 1) setImmediate(() => this.commit())
    return promise
  }

  /** Resolves with null if writes succeed; otherwise with the reason and what to do, in one line. */
  async check(): Promise<string | null> {
    const isProven = this.failure === undefined && performance.now() - this.committedAt < PROOF_MS
    if (isProven) return null
    const probe = 'INSERT OR REPLACE INTO pairs (key, value) VALUES (?, ?)'
    await this.write(() => this.run(probe, 'probe', String(this.now()))).catch(() => { /* Kept as the failure. */ })
    return this.failure === undefined ? null : reasonOf(this.failure)
  }

  /** Deletes expired rows, and writes the log into the file: from then on, erased text is in neither. */
  async tidy(): Promise<void> {
    await this.purge()
    this.checkpoint()
  }

  /** Stores what waits, and closes the file. */
  async close(): Promise<void> {
    if (!this.db.isOpen) return
    clearInterval(this.timer)
    this.commit()
    this.db.close()
    this.lock?.close()
  }

  private statement(sql: string): StatementSync {
    const existing = this.statements.get(sql)
    if (existing) return existing
    const statement = this.db.prepare(sql)
    this.statements.set(sql, statement)
    return statement
  }

  private commit(): void {
    const { changes } = this
    this.changes = []
    if (changes.length === 0) return
    try {
      const before = this.countChanges()
      this.run('BEGIN IMMEDIATE')
      for (const { run } of changes) {
        this.run('SAVEPOINT change')
        run()
        this.run('RELEASE change')
      }
      this.run('COMMIT')
      // An empty commit, as of a sweep without work, writes nothing: it proves nothing about the disk.
      if (this.countChanges() > before) {
        this.failure = undefined
        this.committedAt = performance.now()
        this.isTidy = false
      }
    }
    catch (error) {
      this.failure = error
      this.rollBack()
      const refusal = codeOf(error) === CODES.FULL ? new StoreFull(reasonOf(error), { cause: error }) : error
      for (const { reject } of changes) reject(refusal)
      return
    }
    for (const { settle } of changes) settle()
  }

  /** Ends the transaction. If the disk refuses even that, the next commit fails and tries it again. */
  private rollBack(): void {
    try {
      if (this.db.isOpen && this.db.isTransaction) this.run('ROLLBACK')
    }
    catch {
      // The error of the commit says what is wrong.
    }
  }

  private countChanges(): number {
    return this.get<{ count: number }>('SELECT total_changes() AS count')!.count
  }

  private async tick(): Promise<void> {
    await this.purge()
    const now = performance.now()
    const isCalm = now - this.committedAt > CALM_MS
    if (!this.isTidy && (isCalm || now - this.checkpointedAt > MOST_BUSY_MS)) this.checkpoint()
    else if (this.isTidy && now - this.shrunkAt > SHRINK_MS) this.shrink()
  }

  private async purge(): Promise<void> {
    const now = this.now()
    const expired = EXPIRING.filter(({ any }) => this.get(any, now)).flatMap(({ deletes }) => deletes)
    if (expired.length > 0) await this.write(() => expired.forEach(sql => this.run(sql, now)))
  }

  /** Does not wait for readers such as a backup; the next call tries again. */
  private checkpoint(): void {
    this.checkpointedAt = performance.now()
    this.db.exec('PRAGMA busy_timeout = 0')
    try {
      const { busy } = this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      this.isTidy = busy === 0
    }
    finally {
      this.db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    }
  }

  private shrink(): void {
    this.shrunkAt = performance.now()
    const { freelist_count: count } = this.db.prepare('PRAGMA freelist_count').get() as { freelist_count: number }
    this.db.exec(`PRAGMA optimize; PRAGMA incremental_vacuum(${SHRINK_PAGES})`)
    this.isTidy = count === 0
  }

  private prepareFile(path: string): void {
    const pragma = (name: string) => Object.values(this.db.prepare(`PRAGMA ${name}`).get()!)[0]
    const count = this.db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
    if (count.tables > 0 && pragma('application_id') !== APPLICATION_ID) {
      throw new StoreUnusable(`${path} is a database of another program. Name another file in STORE_URL.`)
    }
    const version = Number(pragma('user_version'))
    if (version > MIGRATIONS.length) {
      throw new StoreUnusable(`${path} was written by a newer version of this service. Start that version, or name another file in STORE_URL.`)
    }
    const problem = pragma('quick_check(1)')
    if (problem !== 'ok') throw Object.assign(new Error(String(problem)), { errcode: CODES.CORRUPT })
    // `secure_delete` overwrites what is deleted: form data must not stay in free pages.
    this.db.exec(`
      PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
    `)
    if (version < MIGRATIONS.length) this.db.exec(`
      BEGIN IMMEDIATE; ${MIGRATIONS.slice(version).join('')}
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT;
    `)
  }
}

/**
 * Keeps other processes from the file, until this one ends. The system frees the lock of a killed process. It is
 * SQLite's lock of a second, empty database, whose header has the owner's process id: the first file stays free for
 * backups.
 */
function lockFile(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Keep form data from other users of a shared machine. SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const lockPath = `${path}-lock`
  const lock = new DatabaseSync(lockPath, { timeout: BUSY_MS })
  try {
    lock.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = ${process.pid}`)
    return lock
  }
  catch (error) {
    lock.close()
    if (codeOf(error) !== CODES.BUSY) throw error
    throw new StoreUnusable(`${path} is in use by another process (${readOwner(lockPath)}): only one may open it. Stop that one, or take Redis for several (docs/deploy.md).`)
  }
}

/** Reads the user version from its place in the header (https://www.sqlite.org/fileformat.html#user_version_number). */
function readOwner(lockPath: string): number {
  const file = openSync(lockPath, 'r')
  const bytes = Buffer.alloc(4)
  readSync(file, bytes, 0, 4, 60)
  closeSync(file)
  return bytes.readUInt32BE()
}

function startAdvice(path: string, error: unknown): string {
  const code = codeOf(error)
  if (code === CODES.CORRUPT || code === CODES.NOTADB) {
    return `${path} is damaged, or no database of this service. Put a backup in its place, or rescue what can be read: sqlite3 ${path} .recover | sqlite3 rescued.db (docs/deploy.md).`
  }
  return `${path} cannot be opened. ${reasonOf(error)}`
}

function reasonOf(error: unknown): string {
  return REASONS[codeOf(error) ?? 0] ?? `The file of STORE_URL cannot be written: ${String(error)}.`
}

/** Returns SQLite's primary result code; undefined for any other error. */
function codeOf(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xFF
}
