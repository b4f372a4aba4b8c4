import { CardText, Modal, type ChatInstance, type ModalElement } from 'chat'
import { expect, test } from 'vitest'
import { SandboxAdapter } from '../../../../server/platforms/sandbox/adapter'
import { SandboxRooms } from '../../../../server/platforms/sandbox/rooms'

const USER = { id: 'ada', name: 'Ada' }
const FORM = Modal({ callbackId: 'edit', title: 'Edit', children: [CardText('A form.')] })

/** Bot that opens the form on every click and accepts every submission. */
const bot = {
  processAction: (
    _event: unknown, options: { onOpenModal: (modal: ModalElement, contextId: string) => Promise<unknown> },
  ) => options.onOpenModal(FORM, 'context'),
  processModalSubmit: async () => ({ action: 'close' }),
} as unknown as ChatInstance

test('forms that nobody submits are forgotten, the oldest first', async () => {
  const rooms = new SandboxRooms(['triage'])
  const adapter = new SandboxAdapter(rooms)
  await adapter.initialize(bot)
  const { id: messageId, threadId } = rooms.post({ channel: 'triage' }, { text: 'A card', card: null })
  const send = async (body: object) => (await adapter.handleWebhook(
    new Request('http://localhost', { method: 'POST', body: JSON.stringify({ ...body, user: USER }) }),
  )).json() as Promise<{ modal: { viewId: string, element?: { title: string } } }>
  const open = async () => (
    (await send({ type: 'action', messageId, threadId, actionId: 'edit', value: 'x' })).modal.viewId
  )
  const views = await Array.fromAsync({ length: 101 }, open)
  const submit = (viewId: string) => send({ type: 'modal_submit', viewId, values: {} })
  expect((await submit(views[0]!)).modal.element!.title).toBe('Form closed')
  expect(await submit(views[1]!)).toEqual({ action: 'close' })
})

test('so many pages watch and no more, until one leaves', () => {
  const rooms = new SandboxRooms(['triage'])
  const watch = () => rooms.watch({ changed: () => {}, alive: () => {}, closed: () => {} })
  const stops = Array.from({ length: 200 }, watch)
  expect(stops.every(Boolean)).toBe(true)
  expect(watch()).toBeNull()
  stops[0]!()
  expect(watch()).not.toBeNull()
  for (const stop of stops) stop?.()
})
