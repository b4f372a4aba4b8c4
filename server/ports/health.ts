/** How an outside part of the service is doing, as its users saw it last; times in epoch ms. */
export interface PartHealth {
  lastSuccessAt: number | null
  lastError: { at: number, reason: string } | null
}

/**
 * Remembers the last success and the last error of each part, shared by all replicas. Notes are made in the background,
 * a repeated success at most every 10 s; one that cannot be written is lost.
 */
export interface HealthBook {
  /** @param error one line for people, without form data or secrets; none for a success */
  note(part: string, at: number, error?: string): void
  /** By part; a part that nothing was noted of is missing. Rejects when the notes cannot be reached, in less than 2 s. */
  read(): Promise<Readonly<Record<string, PartHealth>>>
}
