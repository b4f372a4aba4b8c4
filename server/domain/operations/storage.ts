import type { SubmissionStore } from '../../ports/store'

/** Whether forms can be stored, as this process found it last. */
export class Storage {
  private refusingSince: number | null = null

  constructor(private readonly store: Pick<SubmissionStore, 'ping'>, private readonly now: () => number) {}

  /** Resolves with null, or with the moment from which forms are refused, epoch ms: as exact as this is asked often. */
  async check(): Promise<number | null> {
    const askedAt = this.now()
    const answers = await this.store.ping().then(() => true, () => false)
    this.refusingSince = answers ? null : this.refusingSince ?? askedAt
    return this.refusingSince
  }
}
