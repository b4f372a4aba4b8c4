import type { ModalElement } from 'chat'

const INPUTS = ['text_input', 'select', 'radio_select', 'date_input', 'number_input'] as const

type Child = ModalElement['children'][number]

/** What is filled in in a modal. The SDK has another that only Slack has. */
export type Input = Extract<Child, { type: typeof INPUTS[number] }>

export function isInput(child: Child): child is Input {
  return (INPUTS as readonly string[]).includes(child.type)
}
