/**
 * A moment in a text, which whoever shows the text writes in the reader's time zone. `date` is for what may be days
 * away, `clock` for what is but hours away, `seconds` for what is but seconds away.
 */
export interface Timestamp {
  /** Epoch ms. */
  at: number
  shows: 'date' | 'clock' | 'seconds'
}

/** What people read. Plain text: whoever renders it escapes it. */
export type RichText = string | readonly (string | Timestamp)[]
