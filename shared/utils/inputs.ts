import type { ModalElement } from 'chat'

const INPUT_TYPES = ['text_input', 'select', 'radio_select', 'date_input', 'number_input'] as const

type Child = ModalElement['children'][number]

/** Input of a modal. Leaves out the SDK input that only Slack supports. */
export type Input = Extract<Child, { type: typeof INPUT_TYPES[number] }>

export function isInput(child: Child): child is Input {
  return (INPUT_TYPES as readonly string[]).includes(child.type)
}
