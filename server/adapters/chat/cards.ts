import type {
  ButtonElement, CardChild, CardElement, FieldElement, ImageElement, LinkElement, TextElement,
} from 'chat'
import type { RichText } from '../../../shared/types/line'
import { richParts } from '../../../shared/utils/line'
import { counted, cut } from '../../../shared/utils/text'
import type { CardAction, CardLink as ViewLink, CardView } from '../../ports/board'
import type { Field as ViewField } from '../../ports/submission'
import type { Platform } from '../../platforms/traits'
import { lineText, type LineElement, type StateCard } from '../../platforms/shared/elements'
import { SUMMARY_LENGTH } from '../../platforms/shared/speech'
import { chunk, fieldName } from '../../platforms/shared/text'

const NOTE_LENGTH = 1000

/** Longest part shown of the previous value of an edited field, characters. */
const WAS_LENGTH = 300

export interface RenderedCard {
  card: CardElement
  /** Plain text of one line, for notifications. */
  summary: string
}

/** Renders a card within the platform's limits, with all text from the form escaped. */
export function renderCard(view: CardView, platform: Platform): RenderedCard {
  const notes = view.notes.map(note => textElement(note, platform, { style: 'muted', length: NOTE_LENGTH }))
  const [links, pictures] = [linksOf(view, platform), picturesOf(view, platform)]
  const others = links.slice(LINKS_LEFT_ROOM_FOR)
  const { fields, hidden, shortened } = fitFields(view.fields, platform, sumOf([
    ...notes.map(({ content }) => content.length), ...others.map(link => lengthOf([link], platform)),
    withoutRoom([...links.slice(0, LINKS_LEFT_ROOM_FOR), ...pagesOf(view)], platform),
  ]), others.length + pictures.length + Math.max(notes.length - NOTES_LEFT_ROOM_FOR, 0))
  const unlinked = (view.links ?? []).length - links.length
  const leftOut = [
    hidden > 0 && counted(hidden, 'more field'), shortened > 0 && `${shortened} shortened`,
    unlinked > 0 && counted(unlinked, 'more file'),
  ].filter(Boolean).join(', ')
  const children: CardChild[] = [
    ...chunk(fields, platform.card.fieldsPerGroup).map(children => ({ type: 'fields', children } as const)),
    ...pictures,
    ...isOffered(view, 'forward') && view.fields.length === 0 ? [muted('The form was empty.')] : [],
    ...leftOut
      ? [linkTo(view, `${leftOut}: open the full submission`)
        ?? muted(`${leftOut}: not shown here.`)]
      : [],
    ...links.map(({ label, url }) => linkElement(label, url)),
    ...platform.card.isText ? [] : [{ type: 'divider' } as const],
    ...notes,
    ...actionRows(view, platform),
  ]
  // If a card is one text, notifications show it. The SDK stores the summary: put nothing from the form there.
  return { card: cardOf(view, children), summary: platform.card.isText ? view.title : summarise(view) }
}

/** Renders the fallback for a card that the platform rejects. Nothing on it comes from the form. */
export function renderMinimalCard(view: CardView, platform: Platform): RenderedCard {
  const children: CardChild[] = [
    muted(`Submission ${view.submissionId}. ${platform.label} refused the whole card.`),
    ...ifAny(linkTo(view, 'Open the submission')),
    ...actionRows(view, platform),
  ]
  return { card: cardOf(view, children), summary: view.title }
}

function cardOf({ title, state }: CardView, children: CardChild[]): StateCard {
  return { type: 'card', title, children, state }
}

/** Style of each button, whether it opens a form, and its row (the first by default). */
const LOOKS: Record<CardAction['id'], { style?: 'primary' | 'danger', isForm?: true, row?: 2 | 3 }> = {
  forward: { style: 'primary' }, edit: { style: 'primary', isForm: true }, spam: { style: 'danger', row: 2 },
  send_again: { style: 'primary', isForm: true }, undo: {}, not_spam: {}, take: { row: 3 }, hand_back: { row: 3 },
}

function isOffered({ actions }: CardView, wanted: CardAction['id']): boolean {
  return actions.some(({ id }) => id === wanted)
}

function actionRows(view: CardView, platform: Platform): CardChild[] {
  const offered = view.actions.filter(({ id }) => platform.modal || id !== 'edit')
  const rows = [1, 2, 3].map(row => offered.filter(({ id }) => (LOOKS[id].row ?? 1) === row))
  const elsewhere = view.actions.find(action => !offered.includes(action))
  return [
    ...ifAny(elsewhere ? linkTo(view, `${elsewhere.label} on the web`) : null),
    ...view.decideAt === undefined ? [] : [linkElement('Open the card', view.decideAt)],
    ...rows.filter(row => row.length > 0).map(row => (
      { type: 'actions', children: row.map(action => button(action, view, platform)) } as const
    )),
  ]
}

function button({ id, label }: CardAction, { submissionId: value }: CardView, { modal }: Platform): ButtonElement {
  const { style, isForm } = LOOKS[id]
  return {
    type: 'button', id, label, value, ...style && { style }, ...isForm && modal && { actionType: 'modal' as const },
  }
}

function linkTo({ url }: CardView, label: string): CardChild | null {
  return url === null ? null : linkElement(label, url)
}

function linkElement(label: string, url: string): LinkElement {
  return { type: 'link', label, url }
}

function muted(content: string): TextElement {
  return { type: 'text', content, style: 'muted' }
}

function ifAny<T>(item: T | null): T[] {
  return item === null ? [] : [item]
}

/** Number of file links that a card's limits leave room for. Further links take room from the fields. */
const LINKS_LEFT_ROOM_FOR = 1

/** Number of notes that a card's limits leave room for where each note is a block. Most cards have no more. */
const NOTES_LEFT_ROOM_FOR = 3

/** Longest labels of the links to a card's page. */
const PAGE_LABELS = ['1,000 more fields, 100 shortened, 20 more files: open the full submission', 'Edit & Forward on the web']

function pagesOf({ url }: CardView): ViewLink[] {
  return url === null ? [] : PAGE_LABELS.map(label => ({ label, url }))
}

/** Returns how many characters links take in a text. */
export function lengthOf(links: readonly ViewLink[], { card }: Platform): number {
  return card.links?.length(links) ?? sumOf(links.map(({ label, url }) => `[${label}](${url})`.length))
}

/** Returns by how many characters the links that every card may have exceed the room reserved for them. */
function withoutRoom(links: readonly ViewLink[], platform: Platform): number {
  return Math.max(lengthOf(links, platform) - (platform.card.links?.room ?? Infinity), 0)
}

function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}

/** Returns as many whole links as take no more than half of the text. The rest is on the page. */
function linksOf({ links = [] }: CardView, platform: Platform): readonly ViewLink[] {
  let room = platform.card.total / 2
  return links.filter((link, index) => index < LINKS_LEFT_ROOM_FOR || (room -= lengthOf([link], platform)) >= 0)
}

/** Returns the pictures to show. Skips those whose address works only on this machine, which would appear broken. */
function picturesOf({ pictures = [] }: CardView, { card: { pictures: shown } }: Platform): ImageElement[] {
  const fitting = pictures.filter(({ url }) => !shown?.public || url.startsWith('https://'))
  return fitting.slice(0, shown?.most ?? 0).map(({ url, alt }) => ({ type: 'image', url, alt }))
}

/**
 * Returns the fields that fit beside `taken` characters and `blocks`, escaped, and how many are hidden or shortened.
 */
function fitFields(
  all: readonly ViewField[], platform: Platform, taken: number, blocks: number,
): { fields: FieldElement[], hidden: number, shortened: number } {
  const { card: limits, escape } = platform
  const groups = Math.max((limits.blocks ?? Infinity) - blocks, 0)
  const fields: FieldElement[] = []
  let room = limits.total - taken
  let shortened = 0
  const count = Math.min(limits.fields, groups * limits.fieldsPerGroup)
  for (const { label, value: now, edited, was } of all.slice(0, count)) {
    const value = was === undefined ? now : `${now || '—'}\n(was: ${cut(was, WAS_LENGTH) || '—'})`
    // Cut the first field to the room that is left: a card with only links does not tell reviewers what to decide.
    const most = fields.length > 0 ? limits.value : Math.min(limits.value, Math.max(room - limits.label, 0))
    const text = escapeWithin(value, most, platform)
    const shown = {
      // Escaping may leave nothing of a name if the platform shows none of its characters.
      label: (
        escapeWithin(fieldName(label, limits.label), limits.label, platform) || escape(fieldName('', limits.label))
      ) + (edited ? ' (edited)' : ''),
      value: text || '—',
    }
    room -= shown.label.length + shown.value.length
    if (room < 0) break
    if (value.length > most || text !== escape(value)) shortened++
    fields.push({ type: 'field', ...shown })
  }
  return { fields, hidden: all.length - fields.length, shortened }
}

/** Returns a line as a card element. @param length limit for each text between two timestamps, escaped */
export function textElement(
  line: RichText, platform: Platform, { style, length }: { style?: 'muted', length: number },
): LineElement {
  const { content, ...made } = fitted(line, length, platform)
  return { type: 'text', content, style, ...made }
}

/** Returns a line as the platform shows it, and its parts if it contains timestamps. */
export function fitted(line: RichText, length: number, platform: Platform): { content: string, line?: RichText } {
  const escape = (text: string) => escapeWithin(text, length, platform)
  const content = lineText(line, { ...platform, escape })
  const parts = richParts(line).map(part => typeof part === 'string' ? cut(part, length) : part)
  return parts.every(part => typeof part === 'string') ? { content } : { content, line: parts }
}

/** Returns the text escaped, and cut as little as its escaped form allows. */
export function escapeWithin(text: string, max: number, { escape }: Platform): string {
  let [fits, tooMuch, kept] = [1, Math.min(text.length, max) + 1, Math.min(text.length, max)]
  while (tooMuch - fits > 1) {
    if (escape(cut(text, kept)).length <= max) fits = kept
    else tooMuch = kept
    kept = (fits + tooMuch) >> 1
  }
  return escape(cut(text, fits))
}

function summarise({ title, fields }: CardView): string {
  const filled = fields.filter(({ value }) => value.trim())
  const preview = filled.slice(0, 3).map(({ label, value }) => `${fieldName(label, 40)}: ${cut(value, 80)}`).join(' · ')
  return cut((preview ? `${title}: ${preview}` : title).replace(/\s+/g, ' '), SUMMARY_LENGTH)
}
