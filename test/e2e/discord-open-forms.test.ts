import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBotServer, type BotServer } from '../support/discord/bot-server'
import { buttonOf, componentId, componentsOf, openEdit, pickAndEdit, press } from '../support/discord/edit-form'

let s: BotServer
beforeAll(async () => {
  s = await startBotServer()
})
afterAll(() => s.close())

const MALLORY = { user: { id: '77', username: 'mallory', global_name: null } }

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
  await s.drain()
  expect(JSON.parse(s.endpoint.calls.at(-1)!.body)).toEqual({ ...data, 'key 2': 'two' })
})
