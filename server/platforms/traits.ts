import type { ZodType } from 'zod'
import type { Timestamp } from '../../shared/types/line'

interface Link { label: string, url: string }

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
  /** Where links are text: what some take of it, and how much of that has room beside `total`. */
  links?: { length: (links: readonly Link[]) => number, room: number }
  /** Groups, pictures, links to files and further notes together, where each is an element and these are counted. */
  blocks?: number
  /** Pictures that it shows by their addresses: how many, and whether only what the world reaches. Absent for none. */
  pictures?: { most: number, public: boolean }
}

export interface ModalLimits {
  inputs: number
  label: number
  /** Options of one list; a field that has more is typed. */
  choices: number
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
   * How a moment is written in a card's text, so that readers see it in their own time zones. Absent where there is
   * nothing for it, and UTC is named; and where a moment is an element of its own (`LineElement`).
   */
  moment?: (moment: Timestamp) => string
  /** It has a button of its own that stops the agent's answer. */
  stops?: true
  /**
   * The variable that names its channel, if there is one, or the one that lets an installation name it `instead`.
   * Without either the platform has no cards. `usual` is what channels look like; a form that names none goes to the
   * channels `beside` it too.
   */
  channel: { variable?: string, instead?: string, usual: ZodType, beside?: readonly string[] }
  /**
   * Whether a message of the bot, as its adapter knows it (`raw`), is a card: what that quotes is a stranger's, which a
   * model would believe in the bot's own words. A preview of a link may pass for one.
   */
  isCard: (raw: Readonly<Record<string, unknown>>) => boolean
  /** How the platform writes a mention that notifies somebody; null where there are none. */
  mention: RegExp | null
}
