import { COMMAND } from './commands'
import type { Interaction, Json } from './types'

/** discord-api-docs, developers/interactions/receiving-and-responding.mdx (interaction callback type) */
export const MESSAGE = 4
export const DEFER_MESSAGE = 5
export const DEFER_UPDATE = 6
export const UPDATE = 7
export const MODAL = 9

const MODAL_SUBMIT = 5

/** What may answer an interaction. Without a message behind it there is nothing that could be updated. */
export function fittingReplies({ type, messageId }: Interaction): number[] {
  const updates = type !== COMMAND && (type !== MODAL_SUBMIT || messageId) ? [DEFER_UPDATE, UPDATE] : []
  return [MESSAGE, DEFER_MESSAGE, ...updates, ...type === MODAL_SUBMIT ? [] : [MODAL]]
}

/** The answer of a service, where it is JSON. */
export function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  }
  catch {
    return text ? { text } : {}
  }
}
