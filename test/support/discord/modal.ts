import { Problems } from './problems'
import type { Json, OpenedModal } from './types'
import { onlyOnce, validateOptions, validateSelect } from './validate'

type Path = (string | number)[]

/** One input of an opened modal, in either way of nesting */
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

/** Returns the inputs for a reviewer to fill in, in order of appearance. */
export function modalInputs({ modal }: Pick<OpenedModal, 'modal'>): ModalInput[] {
  return (modal.components as Json[]).flatMap(component => component.type === 1
    ? (component.components as Json[]).map(input => describe(input, input.label))
    : component.component ? [describe(component.component as Json, component.label, component.description)] : [])
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
  return {
    customId: input.custom_id, label, ...description === undefined ? {} : { description }, type: input.type,
    style: input.style,
    value: input.value ?? options?.find(option => option.default)?.value ?? '', placeholder: input.placeholder,
    required: input.required ?? true, minLength: input.min_length ?? 0, maxLength: input.max_length ?? 4000, options,
  }
}

/** Refuses what Discord refuses in the data of a type 9 response, beyond its published description. */
export function validateModal(data: Json | undefined): void {
  const problems = new Problems()
  const components = (data?.components ?? []) as Json[]
  for (const part of ['title', 'custom_id']) problems.filled(['data', part], data?.[part])
  problems.most(['data', 'components'], components, 5)
  const ids = new Set<unknown>()
  components.forEach((component, index) => {
    const path = ['data', 'components', index]
    if (component.type === 10) return problems.filled([...path, 'content'], component.content)
    const isLabelled = component.type === 18
    if (isLabelled) problems.filled([...path, 'label'], component.label)
    for (const input of (isLabelled ? [component.component] : component.components) as Json[]) {
      onlyOnce(problems, ids, input.custom_id, [...path, 'custom_id'])
      if (input.type === 4) validateTextInput(problems, input, path, isLabelled)
      else if (input.type === 21) validateRadioGroup(problems, input, path)
      else if (isLabelled) validateSelect(problems, input, path)
      else problems.add([...path, 'type'], 'BASE_TYPE_CHOICES', 'Value must be one of {4}.')
    }
  })
  problems.throwIfAny()
}

function validateTextInput(problems: Problems, input: Json, path: Path, isLabelled: boolean): void {
  const { custom_id: id, label, value, min_length: min = 0, max_length: max = 4000 } = input
  problems.filled([...path, 'custom_id'], id)
  if (!isLabelled) problems.filled([...path, 'label'], label)
  else if (label) {
    problems.add([...path, 'label'], 'TEXT_INPUT_LABEL_IN_LABEL', 'A text input inside a label cannot have a label')
  }
  problems.most([...path, 'value'], value ?? '', max)
  if (value && value.length < min) {
    problems.add([...path, 'value'], 'BASE_TYPE_MIN_LENGTH', `Must be ${min} or more in length.`)
  }
}

/** https://discord.com/developers/docs/components/reference#radio-group */
function validateRadioGroup(problems: Problems, { custom_id: id, options }: Json, path: Path): void {
  problems.filled([...path, 'custom_id'], id)
  validateOptions(problems, options as Json[], path)
  if ((options as Json[]).filter(option => option.default).length > 1) {
    problems.add([...path, 'options'], 'RADIO_GROUP_MULTIPLE_DEFAULTS', 'Only one option can be selected by default')
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
      const chosen = [given].flat().filter(Boolean)
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
