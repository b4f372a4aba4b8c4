import type { ZodType } from 'zod'
import type { Timestamp } from '../../shared/types/line'

interface Link { label: string, url: string }

/** Limits of a platform's cards. Lengths are in UTF-16 units; no platform counts more than that. */
interface CardLimits {
  /** Max fields shown; the card states how many more there are */
  fields: number
  /** Max fields in one block */
  fieldsPerGroup: number
  label: number
  value: number
  /** Max length of all labels, values and notes together */
  total: number
  /** The SDK renders the card as one text, in which a divider would turn the text above it into a heading. */
  isText?: true
  /** Set if links are part of the text: `length` returns their length, `room` is the space for them besides `total` */
  links?: { length: (links: readonly Link[]) => number, room: number }
  /** Max groups, pictures, file links and further notes together, if the platform limits the number of elements */
  blocks?: number
  /** Max pictures shown by URL, and if their URLs must be publicly reachable. Absent if the platform shows none */
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

/** Differences between the platforms' messages. Other code reads these instead of comparing platform names. */
export interface Platform {
  /** Name in URLs, thread ids, environment variables and stored submissions; also names the platform's folder */
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
   * `variable` contains the channel; the variable `instead` lets an installation of the app choose it. Without either,
   * the platform has no cards. `usual` is the format of a channel. `beside` lists further channels of every form that
   * names none.
   */
  channel: { variable?: string, instead?: string, usual: ZodType, beside?: readonly string[] }
  /**
   * True if a message of the bot is a card; `raw` is the message as its adapter passes it. A card quotes strangers, and
   * a model would take their text for the bot's own words. A link preview may count as a card.
   */
  isCard: (raw: Readonly<Record<string, unknown>>) => boolean
  /**
   * `variable` makes this service call the platform for clicks and messages, instead of being called: the `replaced`
   * ones are then not needed. Has no effect on a serverless host. `name` is what the status page calls this
   */
  outgoing?: { name: string, variable: string, replaced: readonly string[] }
  /** Pattern of a mention that notifies somebody; null if there are none */
  mention: RegExp | null
}
