import type { CardElement, FieldElement, TextElement, TextInputElement } from 'chat'
import type { RichText } from '../../../shared/types/line'
import { inUtc, plainText, renderRich } from '../../../shared/utils/line'
import type { CardState } from '../../ports/board'
import type { Platform } from '../traits'

type Writing = Pick<Platform, 'escape' | 'moment'>

/** A text of a card with the line that it was made from, for platforms whose moments are elements. */
export interface LineElement extends TextElement { line?: RichText }

/** A field whose value was made from a line. */
export interface LineField extends FieldElement { line?: RichText }

/** What a text of a card or a modal says. */
export function lineOf({ content, line = content }: LineElement): RichText {
  return line
}

/** A line as the platform shows it: its words as they are, its moments in the reader's zone, or in UTC. */
export function lineText(line: RichText, { escape, moment }: Writing): string {
  return renderRich(line, escape, each => moment?.(each) ?? escape(inUtc(each)))
}

/** A line that is to be escaped by whoever sends it. */
export function lineElement(line: RichText): LineElement {
  return { type: 'text', content: plainText(line), line }
}

/** A text input that takes texts of one kind only, for platforms that have inputs for them. */
export interface KindInput extends TextInputElement { kind?: 'email' | 'url' | 'tel' }

/** A card that knows what became of its submission, for platforms that show it by colour. */
export interface StateCard extends CardElement { state?: CardState }
