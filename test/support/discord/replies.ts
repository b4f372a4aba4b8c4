import { COMMAND } from './commands'
import type { Interaction, Json } from './types'

/** discord-api-docs, developers/interactions/receiving-and-responding.mdx (interaction callback type) */
export const MESSAGE = 4
export const DEFER_MESSAGE = 5
export const DEFER_UPDATE = 6
export const UPDATE = 7
export const MODAL = 9

const MODAL_SUBMIT = 5

/** Returns the response types that an interaction allows. Updates are allowed only if it has a message. */
export function fittingReplies({ type, messageId }: Interaction): number[] {
  const updates = type !== COMMAND && (type !== MODAL_SUBMIT || messageId) ? [DEFER_UPDATE, UPDATE] : []
  return [MESSAGE, DEFER_MESSAGE, ...updates, ...type === MODAL_SUBMIT ? [] : [MODAL]]
}

/** Parses the service's answer if it is JSON. */
export function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  }
  catch {
    return text ? { text } : {}
  }
}
