/** Outage of one part; times in epoch ms. */
export interface Outage {
  since: number
  /** Ways on which the outage was announced; false if the attempt failed. */
  told: Readonly<Record<string, boolean>>
  /** End of the outage; set while some way still lacks the all-clear. */
  endedAt?: number
}

/** State of the alerts, shared by all replicas; times in epoch ms. */
export interface AlertState {
  /** Outages by part. */
  outages: Readonly<Record<string, Outage>>
  /** Times of the messages of the last hour, by way. */
  sentAt: Readonly<Record<string, readonly number[]>>
  /** Replica that speaks while the store does not answer. */
  speaker: { id: string, until: number } | null
}

export interface AlertBook {
  /**
   * Changes the state in one step, over all replicas. `next` may run several times; only its last result counts.
   * Rejects when the store cannot be reached.
   */
  change<T>(next: (state: AlertState) => { state: AlertState, result: T }): Promise<T>
}
