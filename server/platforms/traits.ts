import type { ZodType } from 'zod'

/** How a platform's cards are bounded. Lengths count UTF-16 units, which is never fewer than the platform counts. */
interface CardLimits {
  /** Fields shown at most; the rest is counted on the card. */
  fields: number
  /** Fields in one block. */
  fieldsPerGroup: number
  label: number
  value: number
  /** All labels, values and notes together. */
  total: number
  /** The SDK makes one text of the card, in which a line would turn what is above into a heading. */
  isText?: true
}

export interface ModalLimits {
  inputs: number
  label: number
  /** Longest value that can be edited; longer ones are kept as they are. */
  value: number
  /** All labels and values together, in bytes of JSON: control characters take six. */
  bytes: number
}

/** What is different about the messages of a platform. The rest of the code reads this and compares no names. */
export interface Platform {
  /** In URLs, thread ids, the environment and stored submissions; also the name of its folder. */
  key: string
  /** As people call it. */
  label: string
  /** Other names under which its webhooks arrive. */
  aliases: readonly string[]
  card: CardLimits
  /** Least pause between two new cards in a channel, ms; 0 where there is no such limit. */
  cardIntervalMs: number
  /** Null where there are no modals: the card then links to the ops page instead. */
  modal: ModalLimits | null
  /** Longest text of a message, in characters; 3,500 where nothing is said. Longer answers take several. */
  messageLength?: number
  /** Makes form text appear as it was typed: no mentions, links, markup or emoji. */
  escape: (text: string) => string
  /**
   * Its messages stay as they were posted: what becomes of a card is said below it, and so is that a click came too
   * late.
   */
  keepsMessages?: true
  /** The variable that names its channel, if there is one, and what a form of the configuration may name. */
  channel: { variable?: string, schema: ZodType }
  /** How the platform writes a mention that notifies somebody; null where there are none. */
  mention: RegExp | null
}
