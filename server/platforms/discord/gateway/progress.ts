/** Identity of a session at Discord */
export interface Session {
  sessionId: string
  resumeURL: string
}

/** Messages missed because a session was lost, which are still to be read from the guilds' channels */
export interface Backfill {
  /** Id of a message up to which everything was delivered. */
  after: string
  guilds: string[]
}

/** State that a successor needs to continue */
export interface Checkpoint {
  session: Session | null
  /** Sequence up to which everything was delivered */
  sequence: number
  /** Message id up to which everything was delivered. */
  lastMessageId: string | null
  backfill: Backfill | null
}

/** Tracks which events were received from Discord and which of them were delivered */
export class Progress {
  session: Session | null
  /** Stored sequence. Discord must get no higher one, because it does not replay acknowledged events. */
  savedSequence: number
  changed = false
  private receivedSequence: number
  private outstandingSequences = new Set<number>()
  private readonly undeliveredIds = new Set<string>()
  private lastMessageId: string | null
  private backfill: Backfill | null
  private missedSinceId: string | null = null

  constructor(checkpoint: Checkpoint | null) {
    this.session = checkpoint?.session ?? null
    this.receivedSequence = this.savedSequence = checkpoint?.sequence ?? 0
    this.lastMessageId = checkpoint?.lastMessageId ?? null
    this.backfill = checkpoint?.backfill ?? null
  }

  /** Starts a new session; `owe` then names the guilds in which to look for missed messages. */
  begin(session: Session, sequence: number): void {
    this.missedSinceId = this.backfill?.after ?? this.acknowledgedMessageId
    this.session = session
    this.receivedSequence = this.savedSequence = sequence
    // Deliveries of the old session keep their own set.
    this.outstandingSequences = new Set()
    this.changed = true
  }

  /** Takes the guilds of the new session, from which missed messages are to be read. */
  owe(guilds: readonly string[]): void {
    const after = this.missedSinceId
    this.backfill = after === null || guilds.length === 0 ? null : { after, guilds: [...guilds] }
    this.changed = true
  }

  /** Returns false if it was received before: Discord replays events that this process may still be delivering. */
  take(sequence: number): boolean {
    if (sequence <= this.receivedSequence) return false
    this.receivedSequence = sequence
    this.changed = true
    return true
  }

  /** Delays the acknowledgement until the returned function is called. */
  hold(sequence: number): () => void {
    const { outstandingSequences } = this
    outstandingSequences.add(sequence)
    return () => {
      outstandingSequences.delete(sequence)
      this.changed = true
    }
  }

  /** Like `hold`, for a message: if the session is lost, messages from this one on are read from the channels. */
  holdMessage(id: string): () => void {
    this.noteMessage(id)
    this.undeliveredIds.add(id)
    return () => void this.undeliveredIds.delete(id)
  }

  noteMessage(id: string): void {
    if (this.lastMessageId === null || BigInt(id) > BigInt(this.lastMessageId)) this.lastMessageId = id
  }

  /** Returns the message id after which to read in this guild; null if nothing is missing there. */
  missingSince(guild: string): string | null {
    return this.backfill?.guilds.includes(guild) ? this.backfill.after : null
  }

  backfilled(guild: string): void {
    if (!this.backfill) return
    const guilds = this.backfill.guilds.filter(id => id !== guild)
    this.backfill = guilds.length > 0 ? { ...this.backfill, guilds } : null
    this.changed = true
  }

  snapshot(): Checkpoint {
    const { session, acknowledgedSequence: sequence, acknowledgedMessageId: lastMessageId, backfill } = this
    return { session, sequence, lastMessageId, backfill }
  }

  private get acknowledgedSequence(): number {
    // Sequences are added in ascending order.
    const [firstSequence] = this.outstandingSequences
    return firstSequence === undefined ? this.receivedSequence : firstSequence - 1
  }

  private get acknowledgedMessageId(): string | null {
    let minId: bigint | null = null
    for (const id of this.undeliveredIds) if (minId === null || BigInt(id) < minId) minId = BigInt(id)
    return minId === null ? this.lastMessageId : String(minId - 1n)
  }
}
