/** Failures of one receiver of forwards, shared by all replicas. */
export interface Rest {
  /** Failures in a row that were not about one submission. */
  failures: number
  /** Time of the first of them, epoch ms. */
  since: number
  /** `resting`: only trials go out. `releasing`: it works again, and what waits goes out at its pace. */
  state: 'failing' | 'resting' | 'releasing'
}

/** Keeps the failures of receivers. Every method rejects when the store cannot be reached. */
export interface RestBook {
  read(receiver: string): Promise<Rest | null>
  /** Changes the state in one step, over all replicas; resolves with the new one. `next` may run several times. */
  change(receiver: string, next: (rest: Rest | null) => Rest | null): Promise<Rest | null>
}
