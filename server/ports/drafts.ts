/** Contents of edit forms that reviewers have open, kept with the form data of their submission and erased with it. */
export interface Drafts {
  /** Keeps a draft for `ttlMs`, as long as there is form data; not at all when there is none any more. */
  save(submission: string, draft: string, text: string, ttlMs: number): Promise<void>
  load(submission: string, draft: string): Promise<Draft>
  remove(submission: string, draft: string): Promise<void>
}

/** `text` is null when there is no such draft. */
export interface Draft {
  text: string | null
  /** The form data of its submission is gone. */
  isErased: boolean
}
