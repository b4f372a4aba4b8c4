import type { ZodType } from 'zod'
import type { Timestamp } from '../../shared/types/line'

interface Link { label: string, url: string }

/** Limits of a platform's cards. Lengths count UTF-16 units, which is never fewer than the platform counts. */
interface CardLimits {
  /** Max fields shown; the card states how many more there are */
  fields: number
  /** Max fields in one block */
  fieldsPerGroup: number
  label: number
  value: number
  /** Max length of all labels, values and notes together */
  total: number
  /** The SDK renders the card as one text, in which a divider line would make a heading of the text above it. */
  isText?: true
  /** Set if links are text: `length` they take, and `room` for them beside `total` */
  links?: { length: (links: readonly Link[]) => number, room: number }
  /** Max groups, pictures, file links and further notes together, if each is an element that the platform counts */
  blocks?: number
  /** Max pictures shown by address, and if they must be publicly reachable. Absent for none */
  pictures?: { most: number, public: boolean }
}

export interface ModalLimits {
  inputs: number
  label: number
  /** Max options of a list; people type the value of a field with more options */
  choices: number
  /** Longest value that can be edited; longer ones stay unchanged */
  value: number
  /** Max size of all labels and values together, bytes of JSON: a control character takes six */
  bytes: number
}

/** Differences between the platforms' messages. The other code reads these and compares no names. */
export interface Platform {
  /** Name in URLs, thread ids, the environment and stored submissions, and of the platform's folder */
  key: string
  /** Name for people */
  label: string
  /** Other names under which its webhooks arrive. */
  aliases: readonly string[]
  card: CardLimits
  /** Min interval between new cards in a channel, ms; 0 for no limit */
  cardIntervalMs: number
  /** Null if there are no modals: the card then links to the ops page */
  modal: ModalLimits | null
  /** Max length of a message in characters, 3,500 by default. Longer answers take several messages */
  messageLength?: number
  /** Makes form text appear as typed: no mentions, links, markup or emoji */
  escape: (text: string) => string
  /**
   * Formats a timestamp in a card's text so that readers see it in their own time zones. Absent if the platform cannot
   * (the text then says UTC), or if a timestamp is an element of its own (`LineElement`).
   */
  moment?: (moment: Timestamp) => string
  /** The platform has its own button that stops the agent's answer. */
  stops?: true
  /**
   * `variable` names the channel; `instead` is the one that lets an installation name it. Without either, the platform
   * has no cards. `usual` is the format of a channel. A form that names no channel also goes to those in `beside`.
   */
  channel: { variable?: string, instead?: string, usual: ZodType, beside?: readonly string[] }
  /**
   * True if a message of the bot, given as its adapter's `raw`, is a card. A card quotes strangers, and a model would
   * believe that text as the bot's own words. A link preview may count as a card.
   */
  isCard: (raw: Readonly<Record<string, unknown>>) => boolean
  /** Pattern of a mention that notifies somebody; null if there are none */
  mention: RegExp | null
}
