import { expect, it } from 'vitest'
import { startBotServer } from '../support/discord/bot-server'
import {
  buttonOf, componentId, componentsOf, editAndForward, openEdit, pickAndEdit, press,
} from '../support/discord/edit-form'
import { endAfterAll } from '../support/lifetime'

const s = endAfterAll(await startBotServer())

const MALLORY = { user: { id: '77', username: 'mallory', global_name: null } }

/** Returns the last body sent to the endpoint. */
async function forwarded(): Promise<unknown> {
  await s.drain()
  return JSON.parse(s.endpoint.calls.at(-1)!.body)
}

it('an open form is of the one who opened it: nobody else reads it, changes it or sends it', async () => {
  const data = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key ${index}`, 'x'.repeat(100)]))
  const { id, card } = await s.submit(data)
  const { picker } = await openEdit(s, card, id)
  const { opened } = await s.discord.select(s.url, picker, componentId(picker, 'Edit 1 to 25'), ['0'])
  const answers = [
    await s.discord.click(s.url, picker, componentId(picker, 'Forward'), MALLORY),
    await s.discord.select(s.url, picker, componentId(picker, 'Edit 1 to 25'), ['0'], MALLORY),
    await s.discord.submitModal(s.url, opened!, { i0: 'forged' }, MALLORY),
  ]
  for (const { opened, message } of answers) expect([opened, message?.content]).toEqual([
    undefined, 'This form is no longer open. Press the button on the card again.',
  ])
  await s.drain()
  expect(s.endpoint.calls).toEqual([])
  expect(componentsOf(s.cardNow(card)).map(({ custom_id }) => custom_id)).toContain(buttonOf('forward', id))
  const edited = await pickAndEdit(s, picker, 2, 'two')
  await press(s, edited.message!, 'Forward')
  expect(await forwarded()).toEqual({ ...data, 'key 2': 'two' })
})

it.each([
  ['native', 1], ['picker', 60],
] as const)('a form (%s) that was open while another one was sent leaves what that corrected', async (mode, count) => {
  const more = Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, 'x']))
  const data = { phone: '1', name: 'Ada', ...more }
  const { id, card } = await s.submit(data)
  const early = await openEdit(s, card, id)
  expect(early.mode).toBe(mode)
  s.endpoint.answers.push({ ok: false, permanent: true, reason: 'No.' })
  await editAndForward(s, card, id, 0, '2')
  expect(await forwarded()).toEqual({ ...data, phone: '2' })
  if (mode === 'native') await s.discord.submitModal(s.url, early.opened, { i1: 'Grace' })
  else await press(s, (await pickAndEdit(s, early.picker, 1, 'Grace')).message!, 'Forward')
  expect(await forwarded()).toEqual({ ...data, phone: '2', name: 'Grace' })
})

it('opening a form asks Discord for nothing', async () => {
  const { id, card } = await s.submit({ name: 'Ada' })
  s.discord.requests.length = 0
  await openEdit(s, card, id)
  expect(s.discord.requests).toEqual([])
})
