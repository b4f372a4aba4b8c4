import type {
  ButtonElement, CardChild, CardElement, FieldElement, ImageElement, LinkElement, TextElement,
} from 'chat'
import { ACTIONS, BUTTONS, isInputRequired, opensForm } from '../../../shared/actions'
import type { RichText } from '../../../shared/types/line'
import { richParts } from '../../../shared/utils/line'
import { actionLabel, english, type Texts } from '../../../shared/texts'
import { cut } from '../../../shared/utils/text'
import type { CardAction, CardLink as ViewLink, CardView } from '../../ports/board'
import type { Field as ViewField } from '../../ports/submission'
import type { Platform } from '../../platforms/traits'
import { lineText, type LineElement, type StateCard } from '../../platforms/shared/elements'
import { SUMMARY_LENGTH } from '../../platforms/shared/speech'
import { chunk, fieldName } from '../../platforms/shared/text'

const NOTE_LENGTH = 1000

/** Max characters shown of an edited field's previous value. */
const WAS_LENGTH = 300

export interface RenderedCard {
  card: CardElement
  /** Plain text of one line, for notifications. */
  summary: string
}

/** Renders a card within the platform's limits, with all text from the form escaped. */
export function renderCard(view: CardView, platform: Platform, texts = english): RenderedCard {
  const notes = view.notes.map(note => textElement(note, platform, { style: 'muted', length: NOTE_LENGTH }))
  const [links, pictures] = [linksOf(view, platform), picturesOf(view, platform)]
  const otherLinks = links.slice(LINKS_LEFT_ROOM_FOR)
  const { fields, hidden, shortened } = fitFields(view.fields, platform, texts, sumOf([
    ...notes.map(({ content }) => content.length), ...otherLinks.map(link => lengthOf([link], platform)),
    measureExcess([...links.slice(0, LINKS_LEFT_ROOM_FOR), ...pagesOf(view, texts)], platform),
  ]), otherLinks.length + pictures.length + Math.max(notes.length - NOTES_LEFT_ROOM_FOR, 0))
  const unlinkedCount = (view.links ?? []).length - links.length
  const omissions = [
    hidden > 0 && texts('card.moreFields', { count: hidden + (view.moreFields ?? 0) }),
    shortened > 0 && texts('card.shortened', { count: String(shortened) }),
    unlinkedCount > 0 && texts('card.moreFiles', { count: unlinkedCount }),
  ].filter(Boolean).join(', ')
  const children: CardChild[] = [
    ...chunk(fields, platform.card.fieldsPerGroup).map(children => ({ type: 'fields', children } as const)),
    ...pictures,
    ...isOffered(view, 'forward') && view.fields.length === 0 ? [mutedText(texts('card.empty'))] : [],
    ...omissions
      ? [linkTo(view, texts('card.openWhole', { omissions })) ?? mutedText(texts('card.notShown', { omissions }))]
      : [],
    ...links.map(({ label, url }) => linkElement(label, url)),
    ...platform.card.isText ? [] : [{ type: 'divider' } as const],
    ...notes,
    ...actionRows(view, platform, texts),
  ]
  // If a card is one text, notifications show that text. The SDK stores the summary: put nothing from the form in it.
  return { card: cardOf(view, children), summary: platform.card.isText ? view.title : summarise(view, texts) }
}

/** Renders the fallback for a card that the platform rejects. Nothing on it comes from the form. */
export function renderMinimalCard(view: CardView, platform: Platform, texts = english): RenderedCard {
  const children: CardChild[] = [
    mutedText(texts('card.refusedWhole', { id: view.submissionId, platform: platform.label })),
    ...toList(linkTo(view, texts('card.open'))),
    ...actionRows(view, platform, texts),
  ]
  return { card: cardOf(view, children), summary: view.title }
}

function cardOf({ title, state }: CardView, children: CardChild[]): StateCard {
  return { type: 'card', title, children, state }
}

function isOffered({ actions }: CardView, actionId: CardAction['id']): boolean {
  return actions.some(({ id }) => id === actionId)
}

function actionRows(view: CardView, platform: Platform, texts: Texts): CardChild[] {
  const offeredActions = view.actions.filter(({ id }) => platform.modal || !isInputRequired(BUTTONS[id]))
  const rows = [1, 2, 3].map(row => offeredActions.filter(({ id }) => (ACTIONS[BUTTONS[id]].card!.row ?? 1) === row))
  const webAction = view.actions.find(action => !offeredActions.includes(action))
  return [
    ...toList(webAction ? linkTo(view, texts('card.onTheWeb', { button: webAction.label })) : null),
    ...view.decideAt === undefined ? [] : [linkElement(texts('card.openCard'), view.decideAt)],
    ...rows.filter(row => row.length > 0).map(row => (
      { type: 'actions', children: row.map(action => button(action, view, platform)) } as const
    )),
  ]
}

function button({ id, label }: CardAction, { submissionId: value }: CardView, { modal }: Platform): ButtonElement {
  const { style } = ACTIONS[BUTTONS[id]].card!
  const isForm = modal && opensForm(BUTTONS[id])
  return { type: 'button', id, label, value, ...style && { style }, ...isForm && { actionType: 'modal' as const } }
}

function linkTo({ url }: CardView, label: string): CardChild | null {
  return url === null ? null : linkElement(label, url)
}

function linkElement(label: string, url: string): LinkElement {
  return { type: 'link', label, url }
}

function mutedText(content: string): TextElement {
  return { type: 'text', content, style: 'muted' }
}

function toList<T>(item: T | null): T[] {
  return item === null ? [] : [item]
}

/** Number of file links for which a card's limits reserve room. Further links take room from the fields. */
const LINKS_LEFT_ROOM_FOR = 1

/** Number of notes for which a card's limits reserve room, where each note is a block. Few cards have more. */
const NOTES_LEFT_ROOM_FOR = 3

/** Returns the links to a card's page, with their longest labels. */
function pagesOf({ url }: CardView, texts: Texts): ViewLink[] {
  if (url === null) return []
  const omissions = [
    texts('card.moreFields', { count: 1000 }), texts('card.shortened', { count: 100 }),
    texts('card.moreFiles', { count: 20 }),
  ].join(', ')
  const labels = [
    texts('card.openWhole', { omissions }), texts('card.onTheWeb', { button: actionLabel('edit', texts) }),
  ]
  return labels.map(label => ({ label, url }))
}

/** Returns the number of characters that links take in a text. */
export function lengthOf(links: readonly ViewLink[], { card }: Platform): number {
  return card.links?.length(links) ?? sumOf(links.map(({ label, url }) => `[${label}](${url})`.length))
}

/** Returns the characters of the links that every card may have, minus those reserved for links; at least 0. */
function measureExcess(links: readonly ViewLink[], platform: Platform): number {
  return Math.max(lengthOf(links, platform) - (platform.card.links?.room ?? Infinity), 0)
}

function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}

/** Returns the links that fit, uncut, in half of the text. The others are on the page. */
function linksOf({ links = [] }: CardView, platform: Platform): readonly ViewLink[] {
  let remaining = platform.card.total / 2
  return links.filter((link, index) => index < LINKS_LEFT_ROOM_FOR || (remaining -= lengthOf([link], platform)) >= 0)
}

/** Returns the pictures to show. Skips pictures that only this machine can reach, because they would appear broken. */
function picturesOf({ pictures = [] }: CardView, { card: { pictures: pictureLimits } }: Platform): ImageElement[] {
  const fittingPictures = pictures.filter(({ url }) => !pictureLimits?.public || url.startsWith('https://'))
  return fittingPictures.slice(0, pictureLimits?.most ?? 0).map(({ url, alt }) => ({ type: 'image', url, alt }))
}

/**
 * Returns the escaped fields that fit beside `usedLength` characters and `blocks`, and the number of hidden or
 * shortened fields.
 */
function fitFields(
  viewFields: readonly ViewField[], platform: Platform, texts: Texts, usedLength: number, blocks: number,
): { fields: FieldElement[], hidden: number, shortened: number } {
  const { card: limits, escape } = platform
  const groups = Math.max((limits.blocks ?? Infinity) - blocks, 0)
  const fields: FieldElement[] = []
  let remaining = limits.total - usedLength
  let shortened = 0
  const count = Math.min(limits.fields, groups * limits.fieldsPerGroup)
  for (const { label, value: current, edited, was } of viewFields.slice(0, count)) {
    const previous = was === undefined ? '' : `\n${texts('card.field.was', { value: cut(was, WAS_LENGTH) || '—' })}`
    const value = previous ? `${current || '—'}${previous}` : current
    // Cut the first field to the room that is left: a card with only links does not tell reviewers what to decide.
    const maxLength = fields.length > 0 ? limits.value : Math.min(limits.value, Math.max(remaining - limits.label, 0))
    const text = escapeWithin(value, maxLength, platform)
    const nameOf = (shownLabel: string) => fieldName(shownLabel, limits.label, texts)
    // Escaping may leave a name empty if the platform can show none of its characters.
    const name = escapeWithin(nameOf(label), limits.label, platform) || escape(nameOf(''))
    const shownField = {
      label: edited ? texts('card.field.edited', { label: name }) : name, value: text || '—',
    }
    remaining -= shownField.label.length + shownField.value.length
    if (remaining < 0) break
    if (value.length > maxLength || text !== escape(value)) shortened++
    fields.push({ type: 'field', ...shownField })
  }
  return { fields, hidden: viewFields.length - fields.length, shortened }
}

/** Returns a line as a card element. @param length max escaped length of each text between two timestamps */
export function textElement(
  line: RichText, platform: Platform, { style, length }: { style?: 'muted', length: number },
): LineElement {
  const { content, ...lineParts } = fitted(line, length, platform)
  return { type: 'text', content, style, ...lineParts }
}

/** Returns a line as the platform shows it, and its parts if it contains timestamps. */
export function fitted(line: RichText, length: number, platform: Platform): { content: string, line?: RichText } {
  const escape = (text: string) => escapeWithin(text, length, platform)
  const content = lineText(line, { ...platform, escape })
  const parts = richParts(line).map(part => typeof part === 'string' ? cut(part, length) : part)
  return parts.every(part => typeof part === 'string') ? { content } : { content, line: parts }
}

/** Escapes the text, cut as little as possible so that the escaped form fits. */
export function escapeWithin(text: string, max: number, { escape }: Platform): string {
  let [lower, upper, middle] = [1, Math.min(text.length, max) + 1, Math.min(text.length, max)]
  while (upper - lower > 1) {
    if (escape(cut(text, middle)).length <= max) lower = middle
    else upper = middle
    middle = (lower + upper) >> 1
  }
  return escape(cut(text, lower))
}

function summarise({ title, fields }: CardView, texts: Texts): string {
  const filledFields = fields.filter(({ value }) => value.trim())
  const preview = filledFields.slice(0, 3).map(
    ({ label, value }) => `${fieldName(label, 40, texts)}: ${cut(value, 80)}`,
  ).join(' · ')
  return cut((preview ? `${title}: ${preview}` : title).replace(/\s+/g, ' '), SUMMARY_LENGTH)
}
