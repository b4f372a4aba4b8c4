import { escapeMarkdown } from './discord/escape'
import { escapeHtml } from './gchat/escape'
import { withoutMacros } from './teams/escape'
import { escapeTelegram } from './telegram/escape'
import type { Platform } from './platform'

const asTyped = (text: string) => text

/**
 * Slack renders cards as `rich_text`, whose text is literal, so nothing has to be escaped; `mrkdwn` has no
 * escape for `*`, `_`, `:emoji:` and bare links.
 *
 * - 50 blocks a message: 40 groups of 10 fields leave room for header, notes and buttons
 *   (https://docs.slack.dev/reference/block-kit/blocks)
 * - about 13,200 characters of block text, then `msg_blocks_too_long` (undocumented, slackapi/bolt-js#2509)
 * - about one message a second per channel (https://docs.slack.dev/apis/web-api/rate-limits)
 * - modal: 100 blocks, inputs of 3,000 characters, label 2,000, 250 KB a view,
 *   of which half is left for an encoding that is longer than ours
 *   (https://docs.slack.dev/reference/views/modal-views)
 * - 12,000 characters of markdown (https://docs.slack.dev/reference/methods/chat.postMessage#arg_markdown_text)
 */
const slack: Platform = {
  key: 'slack', label: 'Slack', aliases: ['chat'],
  card: { fields: 400, fieldsPerGroup: 10, label: 150, value: 3000, total: 11_000 },
  cardIntervalMs: 1000,
  modal: { inputs: 95, label: 150, value: 3000, bytes: 110_000 },
  messageLength: 11_000,
  escape: asTyped,
  // https://docs.slack.dev/messaging/formatting-message-text#advanced
  mention: /<(?:@[UW]\w+|!subteam\^\w+|!here|!channel|!everyone)>/g,
}

/**
 * Discord renders markdown in cards, so form text is escaped; bounds hold for the escaped text.
 *
 * - embed: 25 fields, name 256 (of which ` (edited)` takes 9), value 1,024; 10 embeds a message, of which one holds
 *   link and notes; 6,000 characters in all, of which 500 are left for title, link and line ends
 *   (https://discord.com/developers/docs/resources/message#embed-object-embed-limits)
 * - 5 messages in 5 s per channel, as its rate limit headers say
 *   (https://discord.com/developers/docs/topics/rate-limits)
 * - modal: the adapter spreads a form over as many modals as it needs (`discord/form.ts`); a value over 4,000 fills
 *   up to five inputs of one modal, and the form is kept in the SDK's state while it is open
 *   (https://discord.com/developers/docs/components/reference#text-input)
 * - content: 2,000 characters (https://discord.com/developers/docs/resources/message#create-message)
 */
const discord: Platform = {
  key: 'discord', label: 'Discord', aliases: [],
  card: { fields: 200, fieldsPerGroup: 25, label: 240, value: 1024, total: 5500 },
  cardIntervalMs: 1000,
  modal: { inputs: 2000, label: 100, value: 20_000, bytes: 400_000 },
  messageLength: 1900,
  escape: escapeMarkdown,
  // https://discord.com/developers/docs/reference#message-formatting
  mention: /<@[!&]?\d+>|@here|@everyone/g,
}

/**
 * Teams renders form text in `RichTextBlock`s, whose runs are literal, so hardly anything has to be escaped.
 *
 * - a message of a bot holds about 100 KB, counted in UTF-16 and with overhead; a card that stays below 40 KB of UTF-8,
 *   the former limit, also passes what counts more strictly: 8,000 characters of 3 bytes, 80 fields of 150 bytes of
 *   structure (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages)
 * - 7 messages a second and 1,800 an hour per conversation
 *   (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit)
 * - dialog: the same card, which carries every label twice
 */
const teams: Platform = {
  key: 'teams', label: 'Teams', aliases: [],
  card: { fields: 80, fieldsPerGroup: 80, label: 150, value: 3000, total: 8000 },
  cardIntervalMs: 1000,
  modal: { inputs: 50, label: 100, value: 4000, bytes: 16_000 },
  escape: withoutMacros,
  mention: null,
}

/**
 * Google Chat renders a subset of HTML in cards, so form text is escaped; bounds hold for the escaped text.
 *
 * - 32,000 bytes a message: 8,000 characters of 3 bytes, 80 fields of 45 bytes of structure
 *   (https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create)
 * - 100 widgets a card, of which every field is one
 *   (https://developers.google.com/workspace/chat/api/reference/rest/v1/cards)
 * - one message a second per space (https://developers.google.com/workspace/chat/limits)
 * - no modals: dialogs answer a click with a form of add-on widgets, which the SDK does not open
 */
const gchat: Platform = {
  key: 'gchat', label: 'Google Chat', aliases: [],
  card: { fields: 80, fieldsPerGroup: 80, label: 150, value: 3000, total: 8000 },
  cardIntervalMs: 1000,
  modal: null,
  escape: escapeHtml,
  mention: null,
}

/**
 * Telegram shows a card as one text, through markdown, so form text is escaped; bounds hold for the escaped text.
 *
 * - 4,096 characters a message, of which 900 are left for title, links and line ends
 *   (https://core.telegram.org/bots/api#sendmessage)
 * - 64 bytes behind a button, of which the SDK, the longest action and a UUID take 63
 *   (https://core.telegram.org/bots/api#inlinekeyboardbutton)
 * - 20 messages a minute to a group (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this)
 */
const telegram: Platform = {
  key: 'telegram', label: 'Telegram', aliases: [],
  card: { fields: 40, fieldsPerGroup: 40, label: 100, value: 1500, total: 3200, isText: true },
  cardIntervalMs: 3000,
  modal: null,
  escape: escapeTelegram,
  mention: null,
}

/** The embedded platform renders text as text; its bounds only keep the page readable. */
const sandbox: Platform = {
  key: 'sandbox', label: 'Sandbox', aliases: [],
  card: { fields: 100, fieldsPerGroup: 10, label: 150, value: 3000, total: 40_000 },
  cardIntervalMs: 0,
  modal: { inputs: 200, label: 150, value: 20_000, bytes: 400_000 },
  escape: asTyped,
  mention: null,
}

export const platforms = { slack, discord, teams, gchat, telegram, sandbox } as const satisfies Record<string, Platform>

/** The platform whose webhooks arrive under `name`. */
export function platformByName(name: string): Platform | undefined {
  return Object.values<Platform>(platforms).find(platform => platform.key === name || platform.aliases.includes(name))
}
