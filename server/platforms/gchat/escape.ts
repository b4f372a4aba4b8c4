import { printable } from '../shared/text'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text of cards is a subset of HTML (https://developers.google.com/workspace/chat/format-messages#card-formatting). */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"]/g, character => ENTITIES[character]!)
}
