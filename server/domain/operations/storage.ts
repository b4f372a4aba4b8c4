import type { SubmissionStore } from '../../ports/store'

/** Why forms are refused, for people, and from when on, epoch ms. */
export interface StoreRefusal {
  since: number
  reason: string
}

/** Whether forms can be stored, as this process found it last. */
export class Storage {
  private refusingSince: number | null = null

  constructor(private readonly store: Pick<SubmissionStore, 'check'>, private readonly now: () => number) {}

  /** Null when they can; otherwise since when they cannot: as exact as this is asked often. */
  async check(): Promise<StoreRefusal | null> {
    const askedAt = this.now()
    const reason = await this.store.check().catch(() => 'The store (STORE_URL) does not answer.')
    this.refusingSince = reason === null ? null : this.refusingSince ?? askedAt
    return reason === null ? null : { since: this.refusingSince!, reason }
  }
}
