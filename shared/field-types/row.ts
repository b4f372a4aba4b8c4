import type { z } from 'zod'
import type { Texts } from '../texts'

/** Limits of the values that a form accepts in one field. */
export interface FieldLimits {
  /** Minimum and maximum of a number, a date (`2026-11-22`) or the number of chosen options. */
  min?: number | string
  max?: number | string
  /** Minimum and maximum length of a text, characters. */
  minLength?: number
  maxLength?: number
  /** Texts to choose from. */
  options?: readonly string[]
}

/** Kinds of text for which some browsers and chat platforms have an own input. */
export type TextKind = 'email' | 'url' | 'tel'

/** Settings of each kind of input, on the form page and in modals. */
interface FieldInputs {
  /** Text on one line; `text` names a special kind */
  line: { text?: TextKind }
  /** Text on several lines */
  lines: object
  number: { decimal: boolean }
  /** A day such as `2026-11-22` */
  day: object
  /** One of the field's options, as radio buttons if `radios` is true, otherwise in a drop-down list */
  choice: { radios?: boolean }
  /** Several of the field's options; as text, one per line */
  choices: object
  /** Yes or no; `words` returns the words for both JSON values, in English if `texts` is absent */
  tick: { words: (texts?: Texts) => Readonly<Record<'true' | 'false', string>> }
  /** Files, which are not part of the data: nobody edits them, and the form's schema only describes them. */
  files: object
}

/** Input for a value. A new field type that uses one of these kinds needs no further code. */
type FieldInput = { [Kind in keyof FieldInputs]: { kind: Kind } & FieldInputs[Kind] }[keyof FieldInputs]

/** The functions of zod that are used; all of zod would add its texts in all languages to the server, 490 KB. */
export type SchemaMakers = Pick<
  typeof z, 'url' | 'regex' | 'number' | 'boolean' | 'enum' | 'array' | 'unknown' | 'symbol'
> & { isoDate: typeof z.iso.date }

/** Functions for building schemas. Passed in, because browsers load the table of field types, but not zod. */
export interface SchemaTools {
  z: SchemaMakers
  /** Schemas of a text within the field's limits: as typed, and without blanks at its ends. */
  text: z.ZodString
  line: z.ZodString
  /** True if mail providers accept the address. */
  isAddress: (text: string) => boolean
}

/** Everything that differs between types of fields. */
export interface FieldTypeRow {
  /** Limits that a field of this type may have. Both `options` and `choices` require options. */
  limits?: 'length' | 'numbers' | 'dates' | 'options' | 'choices'
  /** Key of the error text; also the message of `schema`. */
  problem: string
  /** Returns the JSON of a value that was sent or typed as text; undefined if the text is the value, or is invalid. */
  parse?: (text: string) => string | undefined
  /** True for a value that counts as no answer. */
  isMissing?: (value: unknown) => boolean
  /** Checks a number as written, because JavaScript rounds long numbers. */
  acceptsNumber?: (json: string) => boolean
  /** Returns the schema that checks a value, also used for the form's JSON Schema. Its messages are keys of texts. */
  schema: (tools: SchemaTools, limits: FieldLimits) => z.ZodType
  /**
   * Returns the value in words for cards, emails and pages. `text` is the value's JSON, or the value if it is a text.
   * English without `texts`, which browsers do not have.
   */
  show?: (text: string, value: unknown, texts?: Texts) => string
  /** Input of the form page and of modals */
  input: FieldInput
  /** Attributes of the input on the form page */
  formPage: Readonly<Record<string, string | number>>
  /**
   * Attributes of the input on the edit page. `shows` matches the texts that an input of this `type` can show:
   * browsers hide all others.
   */
  editPage?: { inputmode?: 'decimal' | TextKind, type?: string, shows?: RegExp }
  /** Example for rehearsals; without it, the field's key suggests one. */
  example?: (limits: FieldLimits) => unknown
}
