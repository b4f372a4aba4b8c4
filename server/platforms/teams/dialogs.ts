import type { ModalElement } from 'chat'
import { attachmentOf, dialogCard } from './cards'

export function isClick(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'actionId' in data
}

/** Reads the data of a click, which a client can forge; null unless it has the shape that our buttons send. */
export function readClick(data: unknown): { actionId: string, value?: string } | null {
  const { actionId, value } = (data ?? {}) as Record<string, unknown>
  return typeof actionId === 'string' && (value === undefined || typeof value === 'string') ? { actionId, value } : null
}

export function dialog(modal: ModalElement, contextId: string, errors?: Record<string, string>) {
  const card = attachmentOf(dialogCard(modal, contextId, errors))
  return { task: { type: 'continue', value: { title: modal.title, card } } } as never
}

export function message(value: string) {
  return { task: { type: 'message', value } } as never
}
