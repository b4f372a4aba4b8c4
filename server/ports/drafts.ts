/** Drafts of edit forms that reviewers have open. They are kept with the submission's form data and erased with it. */
export interface Drafts {
  /** Keeps a draft for `ttlMs`, at most as long as the form data; saves nothing if that is gone. */
  save(submission: string, draft: string, text: string, ttlMs: number): Promise<void>
  load(submission: string, draft: string): Promise<Draft>
  remove(submission: string, draft: string): Promise<void>
}

/** `text` is null if there is no such draft. */
export interface Draft {
  text: string | null
  /** True if the form data of the submission is gone. */
  isErased: boolean
}
