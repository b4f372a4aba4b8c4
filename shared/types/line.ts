/**
 * A time in a text; the renderer shows it in the reader's time zone. `date` is for times that may be days away, `clock`
 * for times within hours, `seconds` for times within seconds.
 */
export interface Timestamp {
  /** Epoch ms. */
  at: number
  shows: 'date' | 'clock' | 'seconds'
  /** Language of the text around it; English if absent. */
  language?: string
}

/** A text for people. Plain text: the renderer escapes it. */
export type RichText = string | readonly (string | Timestamp)[]
