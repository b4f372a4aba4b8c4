import type { CardElement, FieldElement, ModalElement, TextElement, TextInputElement } from 'chat'
import type { TextKind } from '../../../shared/field-types/row'
import type { RichText } from '../../../shared/types/line'
import { english, LANGUAGES, textsIn, type Texts } from '../../../shared/texts'
import { inUtc, plainText, renderRich } from '../../../shared/utils/line'
import type { CardState } from '../../ports/board'
import type { Platform } from '../traits'

type Notation = Pick<Platform, 'escape' | 'moment'>

/** Text of a card that keeps the rich text it was made from, for platforms whose timestamps are elements. */
export interface LineElement extends TextElement { line?: RichText }

/** Field whose value was made from rich text. */
export interface LineField extends FieldElement { line?: RichText }

/** Returns the rich text of a card's or modal's text. */
export function lineOf({ content, line = content }: LineElement): RichText {
  return line
}

/** Rich text as the platform shows it: words literally, timestamps in the reader's time zone or in UTC. */
export function lineText(line: RichText, { escape, moment }: Notation): string {
  return renderRich(line, escape, each => moment?.(each) ?? escape(inUtc(each)))
}

/** Text element that is escaped when it is sent. */
export function lineElement(line: RichText): LineElement {
  return { type: 'text', content: plainText(line), line }
}

/** Text input that accepts one kind of text, for platforms that have inputs for it. */
export interface KindInput extends TextInputElement { kind?: TextKind }

/** Text input that holds one choice per line, for platforms that have lists of several choices. */
export interface ChoicesInput extends TextInputElement { choices?: readonly string[] }

/** Card with the state of its submission, for platforms that show the state by colour. */
export interface StateCard extends CardElement { state?: CardState }

/** Modal in a language other than English, for platforms that add words of their own. */
export interface LanguageModal extends ModalElement { language?: string }

/** Returns the texts in a form's language. Some clients send the form back, so its language may be any value. */
export function textsOf(form: object): Texts {
  const language = 'language' in form && LANGUAGES.find(each => each === form.language)
  return language ? textsIn(language) : english
}
