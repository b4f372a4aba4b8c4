import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createStorage, type Driver, type Storage } from 'unstorage'
import fsLite from 'unstorage/drivers/fs-lite'
import type { OpenPage, SubmissionStore } from '../../ports/store'
import type { AuditLine, Submission } from '../../ports/submission'
import { IdempotencyKeys, KEY_FILES } from './idempotency-keys'

/** Where to keep the files, the clock, and what the store has to know of the lifecycle. */
interface EmbeddedStoreOptions {
  /** Folder of its own; made when missing. One process at a time. */
  dir: string
  /** When the submission is due next, epoch ms. */
  nextAttention: (submission: Submission) => number
  /** When its form data has to be gone, epoch ms. */
  dataLivesUntil: (submission: Submission) => number
  /** Epoch ms. */
  now: () => number
}

/** What is asked of a submission without reading its file. */
interface Entry {
  id: string
  version: number
  open: boolean
  receivedAt: number
  due: number
}

const DAY_MS = 24 * 60 * 60 * 1000
/** The record, which has no form data, outlives the data so that its cards can still be told of the expiry. */
const RECORD_GRACE_MS = DAY_MS
const AUDIT_TTL_MS = 30 * DAY_MS
const AUDIT_LINES = 10_000
/** Folder of files being written. */
export const UNFINISHED = 'unfinished'

/** Keeps submissions as files, for one process without Redis: trying out, development. Survives a restart. */
export class EmbeddedStore implements SubmissionStore {
  private readonly files: Storage
  private readonly entries = new Map<string, Entry>()
  private readonly lines = new Map<string, AuditLine>()
  private readonly keys: IdempotencyKeys
  /** The last change of each submission or idempotency key that is being changed. */
  private readonly turns = new Map<string, Promise<unknown>>()
  private loading: Promise<void> | null = null

  constructor(private readonly options: EmbeddedStoreOptions) {
    this.files = createStorage({ driver: atomicFiles(options.dir) })
    this.keys = new IdempotencyKeys(this.files, options.now)
  }

  create(submission: Submission, idempotencyKey?: string): Promise<string> {
    if (!idempotencyKey) return this.add(submission)
    return this.inTurn(KEY_FILES + idempotencyKey, async () => {
      const holder = this.keys.holder(idempotencyKey)
      if (holder && (this.entries.has(holder) || this.lines.has(holder))) return holder
      // The key first: killed in between, it points nowhere and the next one takes it over.
      await this.keys.hold(idempotencyKey, submission.id)
      return this.add(submission)
    })
  }

  async get(id: string): Promise<Submission | null> {
    await this.loaded()
    if (!this.entries.has(id)) return null
    const submission = await this.read(`submission:${id}`) as Submission | null
    return submission && this.options.now() >= this.options.dataLivesUntil(submission) ? this.expire(id) : submission
  }

  replace(previous: Submission, next: Submission): Promise<boolean> {
    return this.change(previous.id, async (entry) => {
      if (entry?.version !== previous.version) return false
      await this.write(next)
      return true
    })
  }

  remove({ id, version }: Submission, audit: AuditLine): Promise<boolean> {
    return this.change(id, async (entry) => {
      if (entry?.version !== version) return false
      // The line first: killed in between, the removal is done again and writes the same line.
      await this.files.setItemRaw(`audit:${id}`, JSON.stringify(audit))
      this.lines.set(id, audit)
      await this.erase(id)
      await this.trimAudit()
      return true
    })
  }

  async lease(now: number, until: number, limit: number): Promise<string[]> {
    await this.loaded()
    const due = [...this.entries.values()].filter(entry => entry.due <= now).sort((a, b) => a.due - b.due).slice(0, limit)
    // Only in memory: a lease ends with the process, which is the only one that could hold it.
    for (const entry of due) entry.due = until
    return due.map(entry => entry.id)
  }

  async forget(id: string): Promise<void> {
    await this.change(id, async () => this.entries.delete(id))
  }

  async listOpen({ limit, before = '' }: { limit: number, before?: string }): Promise<OpenPage> {
    await this.loaded()
    const open = [...this.entries.values()].filter(entry => entry.open).sort(newestFirst)
    const [, time, id] = /^(\d{1,16})-(.+)$/.exec(before) ?? []
    const below = time && id ? open.filter(entry => newestFirst(entry, { receivedAt: Number(time), id }) > 0) : open
    const places = below.slice(0, limit)
    const found = await Promise.all(places.map(entry => this.get(entry.id)))
    const last = places.at(-1)
    return {
      submissions: found.filter(submission => submission?.state === 'open') as Submission[],
      total: open.length,
      cursor: last && below.length > limit ? `${last.receivedAt}-${last.id}` : null,
    }
  }

  async audit(limit: number): Promise<AuditLine[]> {
    await this.loaded()
    return this.newestLines().slice(0, limit)
  }

  async ping(): Promise<void> {
    await this.loaded()
  }

  /** Waits for the changes under way. */
  async close(): Promise<void> {
    await Promise.all(this.turns.values())
    await this.files.dispose()
  }

  /** One change of a submission after the other: what makes compare-and-set atomic within the process. */
  private change<T>(id: string, task: (entry: Entry | undefined) => Promise<T>): Promise<T> {
    return this.inTurn(id, () => task(this.entries.get(id)))
  }

  private async inTurn<T>(id: string, task: () => Promise<T>): Promise<T> {
    await this.loaded()
    const turn = (this.turns.get(id) ?? Promise.resolve()).then(task)
    const settled: Promise<unknown> = turn.catch(() => { /* The caller has it. */ }).finally(() => {
      if (this.turns.get(id) === settled) this.turns.delete(id)
    })
    this.turns.set(id, settled)
    return turn
  }

  /** Erases the form data of an overdue submission, and a day later all of it; what Redis does by itself. */
  private expire(id: string): Promise<Submission | null> {
    return this.change(id, async () => {
      const submission = await this.read(`submission:${id}`) as Submission | null
      if (!submission) return null
      const overdue = this.options.now() - this.options.dataLivesUntil(submission)
      if (overdue >= RECORD_GRACE_MS) {
        await this.erase(id)
        return null
      }
      if (overdue < 0 || submission.data === null) return submission
      const erased = { ...submission, data: null }
      await this.files.setItemRaw(`submission:${id}`, JSON.stringify(erased))
      return erased
    })
  }

  private add(submission: Submission): Promise<string> {
    return this.change(submission.id, async (entry) => {
      if (entry) throw new Error(`Submission ${submission.id} exists already`)
      await this.write(submission)
      return submission.id
    })
  }

  private async write(submission: Submission): Promise<void> {
    await this.files.setItemRaw(`submission:${submission.id}`, JSON.stringify(submission))
    this.index(submission)
  }

  private index(submission: Submission): void {
    const { id, version, state, receivedAt } = submission
    this.entries.set(id, { id, version, open: state === 'open', receivedAt, due: this.options.nextAttention(submission) })
  }

  private async erase(id: string): Promise<void> {
    await this.files.removeItem(`submission:${id}`)
    this.entries.delete(id)
  }

  /** Raw, because `getItem` parses with destr, which drops keys such as `__proto__`: a website may well send them. */
  private async read(key: string): Promise<unknown> {
    const text = await this.files.getItemRaw<Buffer>(key)
    return text === null ? null : JSON.parse(text.toString())
  }

  private loaded(): Promise<void> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = null
      throw error
    })
    return this.loading
  }

  private async load(): Promise<void> {
    // What a kill left half written may be form data.
    await rm(join(this.options.dir, UNFINISHED), { recursive: true, force: true })
    for (const key of await this.files.getKeys()) {
      const stored = await this.read(key).catch((cause: unknown) => {
        throw new Error(`Cannot read "${key.replace(':', '/')}" in ${this.options.dir}`, { cause })
      })
      if (key.startsWith(KEY_FILES)) this.keys.restore(key, stored)
      else if (key.startsWith('audit:')) this.lines.set((stored as AuditLine).id, stored as AuditLine)
      else this.index(stored as Submission)
    }
    await this.trimAudit()
  }

  private async trimAudit(): Promise<void> {
    const lines = this.newestLines()
    for (const [index, { id, at }] of lines.entries()) {
      if (index < AUDIT_LINES && at > lines[0]!.at - AUDIT_TTL_MS) continue
      this.lines.delete(id)
      await this.files.removeItem(`audit:${id}`)
    }
  }

  private newestLines(): AuditLine[] {
    return [...this.lines.values()].sort((a, b) => b.at - a.at)
  }
}

function newestFirst(a: Pick<Entry, 'receivedAt' | 'id'>, b: Pick<Entry, 'receivedAt' | 'id'>): number {
  return b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}

/**
 * unstorage's `fs-lite` driver with writes that are all or nothing: by itself it truncates the file and then fills it,
 * so a kill in between would lose the old content and the new. Two writes of one key must not overlap.
 */
export function atomicFiles(dir: string): Driver {
  return {
    ...fsLite({ base: dir }),
    async setItemRaw(key: string, text: string): Promise<void> {
      const path = join(dir, key.replaceAll(':', '/'))
      const unfinished = join(dir, UNFINISHED, key.replaceAll(':', '-'))
      // Form data is nobody else's business on a shared machine.
      for (const file of [path, unfinished]) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(unfinished, text, { mode: 0o600 })
      await rename(unfinished, path)
    },
  }
}
