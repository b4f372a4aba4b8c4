import { broken, isBlank, isRepeated } from '../rules'
import { refuse } from './problems'
import type { Json, OpenedModal } from './types'
import { optionProblems, selectProblems } from './validate'

/** One input of an opened modal, nested in a row or in a label */
export interface ModalInput {
  customId: string
  label: string
  description?: string
  /** 4 text input, 3 string select, 21 radio group */
  type: number
  /** 1 short, 2 paragraph */
  style?: number
  /** Initial value */
  value: string
  placeholder?: string
  required: boolean
  minLength: number
  maxLength: number
  options?: { label: string, value: string, description?: string, default?: boolean }[]
}

/** Returns the inputs of a row or a label. */
const inputsIn = ({ component, components = [] }: Json) => (component ? [component] : components) as Json[]

/** Returns the inputs for a reviewer to fill in, in order of appearance. */
export function modalInputs({ modal }: Pick<OpenedModal, 'modal'>): ModalInput[] {
  return (modal.components as Json[]).flatMap(part => inputsIn(part).map(
    input => describe(input, part.label ?? input.label, part.description),
  ))
}

/** Returns an input by its custom_id, or by its label. */
export function modalInput(opened: Pick<OpenedModal, 'modal'>, name: string): ModalInput {
  const inputs = modalInputs(opened)
  const input = inputs.find(({ customId }) => customId === name) ?? inputs.find(({ label }) => label === name)
  if (!input) {
    throw new Error(`The modal has no input "${name}", only ${inputs.map(({ customId, label }) => `"${customId}" (${label})`).join(', ')}`)
  }
  return input
}

/** Returns the text between the inputs. */
export function modalNotes({ modal }: Pick<OpenedModal, 'modal'>): string[] {
  return (modal.components as Json[]).filter(({ type }) => type === 10).map(({ content }) => String(content))
}

function describe(input: Json, label: string, description?: string): ModalInput {
  const options = input.options as ModalInput['options']
  const chosen = options?.filter(option => option.default).map(({ value }) => value)
  return {
    customId: input.custom_id, label, ...description === undefined ? {} : { description }, type: input.type,
    style: input.style,
    value: input.value ?? chosen?.join('\n') ?? '', placeholder: input.placeholder,
    required: input.required ?? true, minLength: input.min_length ?? 0, maxLength: input.max_length ?? 4000, options,
  }
}

/** Applies Discord's rules for a modal (type 9 response) that its published API description lacks. */
export function validateModal({ title, custom_id: id, components = [] }: Json = {}): void {
  const parts = components as Json[]
  refuse([
    ...broken({
      'no title or id': isBlank(title) || isBlank(id), 'more than 5 components': parts.length > 5,
      'a repeated custom_id': isRepeated(parts.flatMap(inputsIn).map(({ custom_id: id }) => id as unknown)),
      'a blank text': parts.some(({ type, content }) => type === 10 && isBlank(content)),
      'a blank label': parts.some(({ type, label }) => type === 18 && isBlank(label)),
    }),
    ...parts.flatMap(part => inputsIn(part).flatMap(input => inputProblems(input, part.type === 18))),
  ])
}

function inputProblems(input: Json, isLabelled: boolean): string[] {
  const { type, custom_id: id, label, value, min_length: min = 0, max_length: max = 4000, options = [] } = input
  switch (type) {
    case 4: return broken({
      'a text input without id': isBlank(id), 'a label in a label, or none': isLabelled ? label : isBlank(label),
      'a value that is too short or too long': value && (value.length < min || value.length > max),
    })
    // https://discord.com/developers/docs/components/reference#radio-group
    case 21: return [...optionProblems(options as Json[]), ...broken({
      'a radio group without id': isBlank(id),
      'two options by default': (options as Json[]).filter(option => option.default).length > 1,
    })]
    default: return isLabelled ? selectProblems(input) : ['a row with something else than a text input']
  }
}

/** Returns the `components` of a MODAL_SUBMIT. Throws if the client would not let the reviewer press Submit. */
export function submittedComponents(opened: OpenedModal, values: Record<string, string | string[]>): Json[] {
  const inputs = new Map(modalInputs(opened).map(input => [input.customId, input]))
  for (const name of Object.keys(values)) if (!inputs.has(name)) {
    throw new Error(`The modal has no input "${name}", only ${[...inputs.keys()].map(id => `"${id}"`).join(', ')}`)
  }
  let id = 0
  const fill = (component: Json): Json => {
    const { customId, type, value, label, required, minLength, maxLength, options } = inputs.get(component.custom_id)!
    const given = values[customId] ?? value
    const filled = { type, id: ++id, custom_id: customId }
    if (type !== 4) {
      const chosen = [given].flat().flatMap(each => each.split('\n')).filter(Boolean)
      const odd = chosen.find(each => options && !options.some(option => option.value === each))
      if (odd) throw new Error(`"${label}" has no option "${odd}"`)
      if (required && chosen.length === 0) throw new Error(`"${label}" is required`)
      return { ...filled, ...type === 21 ? { value: chosen[0] ?? null } : { values: chosen } }
    }
    const text = String(given)
    if (required && !text) throw new Error(`"${label}" is required, so Discord does not let it be submitted empty`)
    if (text && (text.length < minLength || text.length > maxLength)) {
      throw new Error(`"${label}" takes ${minLength} to ${maxLength} characters, not ${text.length}`)
    }
    return { ...filled, value: text }
  }
  return (opened.modal.components as Json[]).map((component) => {
    const place = { type: component.type, id: ++id }
    if (component.type === 1) return { ...place, components: (component.components as Json[]).map(fill) }
    return component.type === 18 ? { ...place, component: fill(component.component as Json) } : place
  })
}
