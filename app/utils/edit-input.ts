import { fieldTypeOf } from '../../shared/field-types/field-types'
import type { FieldTypeRow } from '../../shared/field-types/row'
import type { FieldDetails } from '../../shared/types/submissions'

/** Returns the options to tick, including current choices that the form no longer offers. */
export function boxesOf(field: FieldDetails): string[] | null {
  const isGroup = fieldTypeOf(field).input.kind === 'choices' && field.kind !== 'tree'
  return isGroup ? [...new Set([...field.options ?? [], ...tickedBoxes(field.value)])] : null
}

/** Returns the chosen options, one per line, after one was ticked or unticked. The form's options keep its order. */
export function withBox(field: FieldDetails, value: string, box: string, isTicked: boolean): string {
  const chosenBoxes = new Set([...tickedBoxes(value), box])
  if (!isTicked) chosenBoxes.delete(box)
  return boxesOf(field)!.filter(each => chosenBoxes.has(each)).join('\n')
}

/** Returns the choices in a value, which has one per line. */
export function tickedBoxes(value: string): string[] {
  return value.split('\n').filter(Boolean)
}

/** Returns the options to select from, including a current value that the form no longer offers. */
export function choicesOf(field: FieldDetails): string[] | null {
  const words = wordsOf(field)
  const offeredOptions = words ? Object.keys(words) : !boxesOf(field) && field.options
  return offeredOptions ? [...new Set([field.value, ...offeredOptions])] : null
}

/** Returns the text to show for a choice. */
export function wordFor(field: FieldDetails, choice: string): string {
  return wordsOf(field)?.[choice] || choice || '—'
}

function wordsOf(field: FieldDetails): Readonly<Record<string, string>> | null {
  const { input } = fieldTypeOf(field)
  return input.kind === 'tick' ? input.words() : null
}

/** Returns the type of an input on one line. Browsers hide a text that does not fit the type. */
export function inputTypeOf(field: FieldDetails): string {
  const { type, shows } = fieldTypeOf(field).editPage ?? {}
  return type && shows?.test(field.value) ? type : 'text'
}

/** Returns the keyboard that a phone shows; undefined for the usual one. */
export function keyboardOf(field: FieldDetails): NonNullable<FieldTypeRow['editPage']>['inputmode'] {
  return fieldTypeOf(field).editPage?.inputmode
}
