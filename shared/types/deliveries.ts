/** `failed`: given up, the submission is open again. `waiting`: it failed or is put off, and will be tried again. */
export const DELIVERY_STATES = ['failed', 'waiting'] as const
export type DeliveryState = typeof DELIVERY_STATES[number]

/** A delivery of a submission that failed or waits. Texts of receivers are hostile: the renderer escapes them. */
export interface DeliveryLine {
  /** Id of the submission. */
  id: string
  /** Id of the destination, such as `endpoint`. */
  destination: string
  /** Its name, and its addresses or its host. */
  label: string
  to: readonly string[]
  state: DeliveryState
  /** Time of the last attempt, epoch ms. */
  at: number
  /** Attempts since the last decision. */
  attempts: number
  status: number | null
  /** Why the last attempt failed. */
  reason: string
  /** Beginning of the receiver's answer, without values of the form. */
  answer: string | null
  /** Epoch ms; null if it was given up. */
  nextAttemptAt: number | null
}

/** Answer of `GET /api/deliveries`, latest attempt first. */
export interface DeliveryPage {
  now: number
  lines: DeliveryLine[]
  /** Lines that match on all pages. */
  total: number
  /** Pass it as `before`; null on the last page. */
  cursor: string | null
  /** False if more submissions failed or wait than are read for one answer. */
  complete: boolean
  /** Destinations to filter by: of all forms, and of what failed or waits. */
  destinations: { key: string, label: string }[]
}

/** Answer of `POST /api/deliveries/send-again`. */
export interface SentAgain {
  /** Ids of the submissions that are sent again. */
  sent: string[]
  /** Submissions that are not, with the reason. */
  refused: { id: string, reason: string }[]
  /** Number of further submissions that match: repeat the request for them. */
  left: number
}
