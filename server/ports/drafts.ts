/** Drafts of edit forms that reviewers have open; erased together with the submission's form data. */
export interface Drafts {
  /** Keeps a draft for `ttlMs`, at most as long as the form data; saves nothing if the form data was erased. */
  save(submission: string, draft: string, text: string, ttlMs: number): Promise<void>
  load(submission: string, draft: string): Promise<Draft>
  remove(submission: string, draft: string): Promise<void>
}

/** `text` is null if there is no such draft. */
interface Draft {
  text: string | null
  /** True if the form data of the submission was erased. */
  isErased: boolean
}
