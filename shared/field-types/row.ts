import type { z } from 'zod'
import type { Texts } from '../texts'

/** Limits of the values that a form accepts in one field. */
export interface FieldLimits {
  /** Minimum and maximum of a number, of a date (`2026-11-22`), or of how many options are chosen. */
  min?: number | string
  max?: number | string
  /** Minimum and maximum length of a text, characters. */
  minLength?: number
  maxLength?: number
  /** Texts to choose from. */
  options?: readonly string[]
}

/** Texts that some browsers and chat platforms have an input for. */
export type TextKind = 'email' | 'url' | 'tel'

/** Inputs, by the kind under which the form page and the modals know them. */
interface FieldInputs {
  /** Text on one line, of the kind `text` if that is set */
  line: { text?: TextKind }
  /** Text on several lines */
  lines: object
  number: { decimal: boolean }
  /** A day such as `2026-11-22` */
  day: object
  /** One of the field's options, shown at once with `radios`, otherwise in a list that opens */
  choice: { radios?: boolean }
  /** Several of the field's options; an input for text has one a line */
  choices: object
  /** Yes or no, in these words by the value as JSON; English without texts */
  tick: { words: (texts?: Texts) => Readonly<Record<'true' | 'false', string>> }
  /** Files are no data: nobody edits them, and the form's schema only describes them. */
  files: object
}

/** Input that asks for a value. A type of field that uses one of these kinds needs no code where inputs are built. */
type FieldInput = { [Kind in keyof FieldInputs]: { kind: Kind } & FieldInputs[Kind] }[keyof FieldInputs]

/** Functions of zod, one by one: the whole of it would add its texts in all languages to the server, 490 KB. */
export type SchemaMakers = Pick<
  typeof z, 'url' | 'regex' | 'number' | 'boolean' | 'enum' | 'array' | 'unknown' | 'symbol'
> & { isoDate: typeof z.iso.date }

/** Tools of a schema. The table imports no zod, because browsers load the table for the edit page. */
export interface SchemaTools {
  z: SchemaMakers
  /** Schemas of texts within the field's limits: as it is, and without blanks at its ends. */
  text: z.ZodString
  line: z.ZodString
  /** True if mail providers accept the address. */
  isAddress: (text: string) => boolean
}

/** Everything that differs between types of fields. */
export interface FieldTypeRow {
  /** Limits that a field of this type may have. Both `options` and `choices` require options. */
  limits?: 'length' | 'numbers' | 'dates' | 'options' | 'choices'
  /** Key of the text that says what is wrong, and message of `schema`. */
  problem: string
  /** Returns the JSON of a value that was sent or typed as text; undefined if the text is the value, or no value. */
  parse?: (text: string) => string | undefined
  /** True for an answer that counts as none. */
  isMissing?: (value: unknown) => boolean
  /** Checks a number as it was written, because JavaScript rounds long ones. */
  acceptsNumber?: (json: string) => boolean
  /** Schema that checks a value, and that the form's JSON Schema is made from. Its messages are keys of texts. */
  schema: (tools: SchemaTools, limits: FieldLimits) => z.ZodType
  /**
   * Returns the value in words for cards, emails and pages. `text` is its JSON, or the value if that is a text.
   * Browsers have no texts: the words are English then.
   */
  show?: (text: string, value: unknown, texts?: Texts) => string
  /** Input of the form page and of modals */
  input: FieldInput
  /** Attributes of the input on the form page */
  formPage: Readonly<Record<string, string | number>>
  /**
   * Attributes of the input on the edit page. With `type`, `shows` matches the texts that this type of input can show:
   * browsers hide others.
   */
  editPage?: { inputmode?: 'decimal' | TextKind, type?: string, shows?: RegExp }
  /** Example for rehearsals; without it, the field's key suggests one. */
  example?: (limits: FieldLimits) => unknown
}
