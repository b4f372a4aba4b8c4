import { createHmac, hkdfSync } from 'node:crypto'
import { sameSecret } from '../../../shared/same-secret'
import { FileMissing, type FileStore, type StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Limiter } from '../../ports/limiter'
import { UnreadableRecord } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import type { Core, FormFiles } from '../context'
import { FileGone, FileLost, FilesUnavailable, NoSuchFile } from '../errors'
import { IncomingFiles } from './incoming-files'
import { found, orUnavailable } from '../queries/rows'

/** Min age of a file without a submission, ms: newer ones may belong to a form that is still being received. */
const ORPHAN_AGE_MS = 60 * 60 * 1000

/** Interval between searches for files without a submission, ms: listing a storage costs money. */
const ORPHAN_INTERVAL_MS = 60 * 60 * 1000

interface FilesOptions {
  /** Null if there is no storage. */
  files: FileStore | null
  /** True if a form accepts files. If not, files without a submission may belong to another user of the storage. */
  isTaking: boolean
  /** Counts MB; null for no limit. */
  limiter: Limiter | null
  /** Secret from which the key of all links is derived. */
  secret: string
  /** Base URL of this service, without a trailing slash; null if unknown. */
  siteUrl: string | null
}

/** Receives uploaded files, links to them, and erases them with their submission. */
export class SubmissionFiles implements FormFiles {
  private readonly key: Buffer
  private sweptAt = -Infinity

  constructor(private readonly context: Core, private readonly options: FilesOptions) {
    this.key = Buffer.from(hkdfSync('sha256', options.secret, '', 'links to files', 32))
  }

  /** Receives the files of a form from this client; null if the form accepts no files. */
  incoming({ files: rule }: Form, client: string): IncomingFiles | null {
    const { files, limiter } = this.options
    return rule && files ? new IncomingFiles(this.context.runtime.uuid(), rule, client, files, limiter) : null
  }

  path(id: string, index: number): string {
    return `/api/files/${id}/${index}?key=${this.signature(id, index)}`
  }

  url(id: string, index: number): string | null {
    const { siteUrl } = this.options
    return siteUrl === null ? null : siteUrl + this.path(id, index)
  }

  /** @throws NoSuchFile for an address that is not ours, FileGone, StoreUnavailable */
  async open(id: string, index: number, key: string): Promise<{ file: StoredFile, content: AsyncIterable<Buffer> }> {
    if (!sameSecret(key, this.signature(id, index))) throw new NoSuchFile()
    const submission = await orUnavailable(this.context.store.get(id))
    const file = submission?.data ? submission.envelope?.files?.[index] : undefined
    if (!file || !this.options.files) throw new FileGone()
    return { file, content: this.read(id, index, file) }
  }

  /** @throws FileLost, FilesUnavailable during the read */
  async* read(id: string, index: number, { size }: StoredFile): AsyncGenerator<Buffer> {
    try {
      yield* this.options.files!.read(id, index, size)
    }
    catch (error) {
      if (error instanceof FileMissing) throw new FileLost(error)
      throw new FilesUnavailable(error, 'Try again in a moment.')
    }
  }

  /** Marks files that are missing in the storage. */
  async withLost(submission: Submission): Promise<Submission> {
    const { id, envelope } = submission
    const files = await Promise.all((envelope?.files ?? []).map(async (file, index) => (
      await this.isLost(id, index, file) ? { ...file, lost: true as const } : file
    )))
    return { ...submission, envelope: { ...envelope, files } }
  }

  private async isLost(id: string, index: number, file: StoredFile): Promise<boolean> {
    try {
      for await (const part of this.read(id, index, file)) void part
      return false
    }
    catch (error) {
      return error instanceof FileLost
    }
  }

  /** Deletes the files of a submission, in the background. The sweep deletes any that remain. */
  erase(id: string): void {
    const { options: { files }, context: { runtime, log } } = this
    const erasure = files?.erase(id).catch(error => log.warn('files.erase-failed', { submission: id, error }))
    if (erasure) runtime.background(erasure)
  }

  /**
   * Erases files that remain after crashes: their submission has no form data or does not exist. Runs once an hour, in
   * the background, because listing the files of a storage is slow.
   */
  sweep(): void {
    const { options: { files }, context: { runtime, log } } = this
    const now = runtime.now()
    if (!files || now - this.sweptAt < ORPHAN_INTERVAL_MS) return
    this.sweptAt = now
    const orphanErasure = this.eraseOrphans(files, now - ORPHAN_AGE_MS)
    runtime.background(orphanErasure.catch(error => log.warn('files.sweep-failed', { error })))
  }

  private async eraseOrphans(files: FileStore, createdBefore: number): Promise<void> {
    const { options: { isTaking }, context: { store, log } } = this
    for (const id of await files.idsBefore(createdBefore)) {
      const submission = await found(store, id)
      // An unreadable record may have form data.
      if (submission instanceof UnreadableRecord || submission?.data || (!submission && !isTaking)) continue
      // If one cannot be erased now, continue with the others.
      const isErased = await files.erase(id).then(() => true, (error: unknown) => {
        log.warn('files.erase-failed', { submission: id, error })
      })
      if (isErased) log.info('files.orphans-erased', { submission: id })
    }
  }

  private signature(id: string, index: number): string {
    return createHmac('sha256', this.key).update(`${id}/${index}`).digest('base64url')
  }
}
