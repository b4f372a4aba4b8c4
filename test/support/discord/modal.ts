import { Problems } from './problems'
import type { Json, OpenedModal } from './types'
import { validateOptions, validateSelect } from './validate'

type Path = (string | number)[]

/** One input of an opened modal, whichever way the modal nests it. */
export interface ModalInput {
  customId: string
  label: string
  description?: string
  /** 4 text input, 3 string select, 21 radio group. */
  type: number
  /** 1 short, 2 paragraph. */
  style?: number
  /** What it shows at first. */
  value: string
  placeholder?: string
  required: boolean
  minLength: number
  maxLength: number
  options?: { label: string, value: string, description?: string, default?: boolean }[]
}

/** What a reviewer can fill in, in order of appearance. */
export function modalInputs({ modal }: Pick<OpenedModal, 'modal'>): ModalInput[] {
  return (modal.components as Json[]).flatMap(component => component.type === 1
    ? (component.components as Json[]).map(input => describe(input, input.label))
    : component.component ? [describe(component.component as Json, component.label, component.description)] : [])
}

/** One input by its custom_id, or by its label. */
export function modalInput(opened: Pick<OpenedModal, 'modal'>, name: string): ModalInput {
  const inputs = modalInputs(opened)
  const input = inputs.find(({ customId }) => customId === name) ?? inputs.find(({ label }) => label === name)
  if (!input) {
    throw new Error(`The modal has no input "${name}", only ${inputs.map(({ customId, label }) => `"${customId}" (${label})`).join(', ')}`)
  }
  return input
}

/** What the modal prefilled, by custom_id. */
export function modalValues(opened: Pick<OpenedModal, 'modal'>): Record<string, string> {
  return Object.fromEntries(modalInputs(opened).map(({ customId, value }) => [customId, value]))
}

/** Text between the inputs. */
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

/** Refuses what Discord refuses in the data of a type 9 response. */
export function validateModal(data: Json | undefined): void {
  const problems = new Problems()
  problems.text(['data', 'title'], data?.title, 1, 45)
  problems.text(['data', 'custom_id'], data?.custom_id, 1, 100)
  const seen = new Set<unknown>()
  const input = (component: Json | undefined, path: Path, labelled: boolean) => {
    if (!component) return problems.required(path)
    problems.choice([...path, 'type'], component.type, labelled ? [3, 4, 5, 6, 7, 8, 19, 21, 22, 23] : [4])
    if (seen.has(component.custom_id)) {
      problems.add([...path, 'custom_id'], 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated')
    }
    seen.add(component.custom_id)
    if (component.type === 4) validateTextInput(problems, component, path, labelled)
    else if (component.type <= 8) validateSelect(problems, component, path)
    else if (component.type === 21) validateRadioGroup(problems, component, path)
    else problems.text([...path, 'custom_id'], component.custom_id, 1, 100)
    if (component.disabled) {
      problems.add(
        [...path, 'disabled'], 'MODAL_COMPONENT_CANNOT_BE_DISABLED', 'Components in modals cannot be disabled',
      )
    }
  }
  problems.list(['data', 'components'], data?.components, 1, 5).forEach((component, index) => {
    const path = ['data', 'components', index]
    if (component.type === 1) problems.list(
      [...path, 'components'], component.components, 1, 1,
    ).forEach((child, number) => input(child, [...path, 'components', number], false))
    else if (component.type === 18) {
      problems.text([...path, 'label'], component.label, 1, 45)
      problems.text([...path, 'description'], component.description, 0, 100)
      input(component.component as Json | undefined, [...path, 'component'], true)
    }
    else if (component.type === 10) problems.text([...path, 'content'], component.content, 1, 4000)
    else problems.choice([...path, 'type'], component.type, [1, 10, 18])
  })
  problems.throwIfAny()
}

function validateTextInput(problems: Problems, input: Json, path: Path, labelled: boolean): void {
  problems.text([...path, 'custom_id'], input.custom_id, 1, 100)
  problems.choice([...path, 'style'], input.style, [1, 2])
  if (!labelled) problems.text([...path, 'label'], input.label, 1, 45)
  else if (input.label) {
    problems.add([...path, 'label'], 'TEXT_INPUT_LABEL_IN_LABEL', 'A text input inside a label cannot have a label')
  }
  problems.text([...path, 'placeholder'], input.placeholder, 0, 100)
  problems.text([...path, 'value'], input.value, 0, 4000)
  problems.integer([...path, 'min_length'], input.min_length, 0, 4000)
  problems.integer([...path, 'max_length'], input.max_length, 1, 4000)
  if (input.value && input.value.length > (input.max_length ?? 4000)) {
    problems.add([...path, 'value'], 'BASE_TYPE_MAX_LENGTH', `Must be ${input.max_length} or fewer in length.`)
  }
  if (input.value && input.value.length < (input.min_length ?? 0)) {
    problems.add([...path, 'value'], 'BASE_TYPE_MIN_LENGTH', `Must be ${input.min_length} or more in length.`)
  }
}

/** https://discord.com/developers/docs/components/reference#radio-group */
function validateRadioGroup(problems: Problems, group: Json, path: Path): void {
  problems.text([...path, 'custom_id'], group.custom_id, 1, 100)
  const options = problems.list([...path, 'options'], group.options, 2, 10)
  validateOptions(problems, options, path)
  if (options.filter(option => option.default).length > 1) {
    problems.add([...path, 'options'], 'RADIO_GROUP_MULTIPLE_DEFAULTS', 'Only one option can be selected by default')
  }
}

/** The `components` of a MODAL_SUBMIT. Throws where the client would not let the reviewer press Submit. */
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
