import type { Draft, Drafts } from '../../ports/drafts'

/** Keeps drafts in memory. A draft is not returned once the form data of its submission is gone. */
export class EmbeddedDrafts implements Drafts {
  private readonly draftsBySubmission = new Map<string, Map<string, { text: string, until: number }>>()

  /** @param hasData asks the store if the form data of a submission is still there */
  constructor(private readonly now: () => number, private readonly hasData: (submission: string) => Promise<boolean>) {}

  async save(submission: string, draft: string, text: string, ttlMs: number): Promise<void> {
    if (!await this.hasData(submission)) return
    const drafts = this.draftsBySubmission.get(submission) ?? new Map<string, { text: string, until: number }>()
    this.draftsBySubmission.set(submission, drafts.set(draft, { text, until: this.now() + ttlMs }))
  }

  async load(submission: string, draft: string): Promise<Draft> {
    const isErased = !await this.hasData(submission)
    if (isErased) this.draftsBySubmission.delete(submission)
    const entry = this.draftsBySubmission.get(submission)?.get(draft)
    return { text: entry && entry.until > this.now() ? entry.text : null, isErased }
  }

  async remove(submission: string, draft: string): Promise<void> {
    this.draftsBySubmission.get(submission)?.delete(draft)
  }
}
