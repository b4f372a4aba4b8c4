import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createChatState } from '../../../../server/adapters/redis/state'
import { startBotServer } from '../../../support/discord/bot-server'
import {
  buttonOf, componentId, componentsOf, editAndForward, openEdit, pickAndEdit, press,
} from '../../../support/discord/edit-form'
import { modalInputs, modalNotes } from '../../../support/discord/modal'
import type { Answer } from '../../../support/discord/types'
import { endAfterAll } from '../../../support/lifetime'
import { connectRedis } from '../../../support/redis-client'
import { holding } from '../../../support/redis-keys'
import { startRedis } from '../../../support/redis-server'

const redis = endAfterAll(await startRedis())
const client = await connectRedis(redis.url)
const s = endAfterAll(await startBotServer({ state: createChatState(client) }))

afterEach(async () => {
  await s.drain()
  s.endpoint.calls.length = 0
  s.mailer.calls.length = 0
  s.discord.fault = () => undefined
})

afterAll(() => {
  if (client.isOpen) client.destroy()
})

const NO_LONGER_OPEN = 'This form is no longer open. Press the button on the card again.'
const HOSTILE = 'a: b\nkey 0: not a label\n\\escaped @everyone <@1> [x](https://evil.example) `code`\n\n# end'

/** Returns words and lines with this total length. */
function textOf(length: number, seed: number): string {
  const word = (index: number) => `w${(index * 7 + seed) % 10}${index % 12 === 11 ? '.\n' : ' x'.slice(0, 1)}`
  const words = Array.from({ length: Math.ceil(length / 4) }, (_, index) => word(index))
  return `${words.join(' ')}${'x'.repeat(length)}`.slice(0, length).replace(/^\s|\s$/g, 'x')
}

const formOf = (count: number, length: number) => Object.fromEntries(
  Array.from({ length: count }, (_, index) => [`key ${index}`, textOf(length, index)]),
)

/** Submits a form, and opens its edit form. */
async function open(data: object) {
  const { id, card } = await s.submit(data)
  return { id, card, ...await openEdit(s, card, id) }
}

/** Returns the last body sent to the endpoint. */
async function forwarded(): Promise<unknown> {
  await s.drain()
  const call = s.endpoint.calls.at(-1)
  return call && JSON.parse(call.body)
}

const said = ({ message }: Answer) => message?.content ?? ''

describe('Edit & Forward of any size comes back as exactly what was typed', () => {
  it.each([
    [1, 0, 'native'], [1, 20_000, 'native'], [5, 100, 'native'], [5, 4000, 'native'], [5, 20_000, 'picker'],
    [12, 0, 'picker'], [60, 4000, 'picker'], [120, 20_000, 'picker'],
  ] as const)('%i fields of %i characters, as %s', async (count, length, mode) => {
    const data = formOf(count, length)
    const position = length > 100 ? Math.min(count - 1, 3) : count - 1
    const { id, card } = await s.submit(data)
    const sent = await editAndForward(s, card, id, position, HOSTILE)
    expect(sent.mode).toBe(mode)
    expect(await forwarded()).toEqual({ ...data, [`key ${position}`]: HOSTILE })
    expect(s.mailer.calls).toHaveLength(1)
    expect(JSON.stringify(s.cardNow(card).embeds)).toContain('Edited and forwarded by Ada Lovelace on Discord')
  })

  it('untouched forwards exactly the data that came', async () => {
    const data = { a: ' spaces around ', b: '\r\nlines\r\n', c: 7, d: { e: [1] }, f: null, g: '\u0007bell', h: '' }
    let { picker } = await open(data)
    for (const picked of [['0', '1', '2', '3'], ['4', '5', '6']]) {
      const { opened } = await s.discord.select(s.url, picker, componentId(picker, 'Edit 1 to 7'), picked)
      const typed = Object.fromEntries(modalInputs(opened!).map(({ customId, value }) => [customId, value.trim()]))
      picker = (await s.discord.submitModal(s.url, opened!, typed)).message!
    }
    expect(picker.content).toContain('Nothing is changed yet.')
    await press(s, picker, 'Forward')
    expect(await forwarded()).toEqual(data)
  })

  it('an empty form can be forwarded as it is', async () => {
    const { picker } = await open({})
    expect(picker.content).toContain('there is nothing to edit')
    expect(said(await press(s, picker, 'Forward'))).toBe('Done.')
    expect(await forwarded()).toEqual({})
  })

  it('a value that is too long for Discord is kept and named, with the link, in every mode', async () => {
    for (const count of [1, 6, 60]) {
      const data = { essay: 'x'.repeat(20_001), ...formOf(count, count === 60 ? 100 : 10) }
      const { id, card, mode, opened, picker } = await open(data)
      const note = mode === 'picker' ? picker.content : modalNotes(opened).join()
      const address = `https://forms.example.com/submissions/${id}`
      expect(note).toContain(`stay unchanged: “essay”. See the full submission at ${address}`)
      await press(s, s.cardNow(card), 'Mark as Spam')
    }
  })
})

describe('the picker', () => {
  it('offers every field with its value, in pages of a hundred', async () => {
    const { picker } = await open(formOf(120, 100))
    const second = (await press(s, picker, '▶')).message!
    const offered = [picker, second].flatMap(page => componentsOf(page).flatMap(({ options }) => options ?? []))
    expect(offered.map(({ label }) => label)).toEqual(Object.keys(formOf(120, 100)))
    expect(picker.content).toContain('Page 1 of 2')
    expect((await press(s, second, '◀')).message!.content).toContain('Page 1 of 2')
  })

  it('collects edits over several modals, marks them, and sends them together', async () => {
    const data = formOf(60, 100)
    const { picker } = await open(data)
    const one = await pickAndEdit(s, picker, 2, 'two')
    const two = await pickAndEdit(s, one.message!, 40, 'forty')
    expect(said(two)).toContain('Changed: “key 2”, “key 40”')
    expect(componentsOf(two.message).flatMap(({ options }) => options ?? [])[40]).toMatchObject({
      label: '✎ key 40', description: 'forty',
    })
    await press(s, two.message!, 'Forward')
    expect(await forwarded()).toEqual({ ...data, 'key 2': 'two', 'key 40': 'forty' })
  })

  it('edits several picked fields in one modal, and forgets an edit that is taken back', async () => {
    const data = formOf(60, 100)
    const { picker } = await open(data)
    const { opened } = await s.discord.select(s.url, picker, componentId(picker, 'Edit 1 to 25'), ['0', '1', '2'])
    const edited = await s.discord.submitModal(s.url, opened!, { i0: 'a', i1: 'b' })
    const back = await pickAndEdit(s, edited.message!, 1, data['key 1']!)
    expect(said(back)).toContain('Changed: “key 0”\n'.trim())
    expect(said(back)).not.toContain('key 1”')
  })

  it('says so when picked fields do not fit one modal', async () => {
    const { picker } = await open(formOf(12, 4100))
    const answer = await s.discord.select(s.url, picker, componentId(picker, 'Edit 1 to 12'), ['0', '1', '2'])
    expect(said(answer)).toContain('Pick fewer')
  })

  it('cancelled changes nothing, and is closed then', async () => {
    const { picker } = await open(formOf(60, 100))
    expect(said(await press(s, picker, 'Cancel'))).toBe('Cancelled. Nothing was changed.')
    expect(said(await s.discord.click(s.url, picker, componentId(picker, 'Forward')))).toContain('no longer open')
    expect(await forwarded()).toBeUndefined()
  })
})

describe('a form with a mistake', () => {
  it('is refused in private with what is wrong, and Edit again keeps what was typed', async () => {
    const { opened } = await open({ name: 'Ada', address: { city: 'London' } })
    const refused = await s.discord.submitModal(s.url, opened, { i0: 'Grace', i1: '{broken' })
    expect(said(refused)).toContain('**address**: Keep one line for each name, such as name: value.')
    expect(s.discord.ephemeral().some(message => message.id === refused.message!.id)).toBe(true)
    const again = (await press(s, refused.message!, 'Edit again')).opened!
    expect(modalInputs(again).map(({ value }) => value)).toEqual(['Grace', '{broken'])
    expect(said(await s.discord.submitModal(s.url, again, { i1: '{"city":"Paris"}' }))).toBe('Done.')
    expect(await forwarded()).toEqual({ name: 'Grace', address: { city: 'Paris' } })
  })

  it('in the picker keeps all edits, and says what is wrong there', async () => {
    const data = { json: { a: 1 }, ...formOf(60, 100) }
    const { picker } = await open(data)
    const broken = await pickAndEdit(s, picker, 0, '{broken')
    const refused = await press(s, broken.message!, 'Forward')
    expect(said(refused)).toContain('**json**: This field is a JSON object.')
    const fixed = await pickAndEdit(s, refused.message!, 0, '{"a":2}')
    await press(s, fixed.message!, 'Forward')
    expect(await forwarded()).toEqual({ ...data, json: { a: 2 } })
  })
})

describe('a form that came too late', () => {
  it('(another decided) is told who did, in private', async () => {
    const { id, card, opened } = await open({ name: 'Ada' })
    await s.discord.click(s.url, card, buttonOf('spam', id))
    const answer = await s.discord.submitModal(s.url, opened, { i0: 'Grace' })
    expect(said(answer)).toMatch(/Marked as spam by Ada Lovelace/)
    expect(await forwarded()).toBeUndefined()
  })

  it('(submitted twice at once) is one decision', async () => {
    const { opened } = await open({ name: 'Ada' })
    await Promise.all([1, 2, 3].map(() => s.discord.submitModal(s.url, opened, { i0: 'Grace' })))
    await s.drain()
    expect(s.endpoint.calls).toHaveLength(1)
    expect(said(await s.discord.submitModal(s.url, opened, { i0: 'Grace' }))).toContain('no longer open')
    await s.drain()
    expect(s.mailer.calls).toHaveLength(1)
  })

  it('(its context expired) is answered politely', async () => {
    const { opened } = await open({ name: 'Ada' })
    await s.state.delete(`discord-form:${String(opened.modal.custom_id).split(':')[1]}`)
    expect(said(await s.discord.submitModal(s.url, opened, { i0: 'Grace' }))).toBe(NO_LONGER_OPEN)
  })

  it('(opened as one text by an earlier version) is answered politely, and forwards nothing', async () => {
    const { opened } = await open({ name: 'Ada' })
    const key = `discord-form:${String(opened.modal.custom_id).split(':')[1]}`
    await s.state.set(
      key, { ...await s.state.get<object>(key), mode: 'text', text: { names: ['name'], text: 'name: Ada' } },
    )
    const component = { type: 4, custom_id: 'text', style: 2, value: 'name: Ada' }
    const asText = { ...opened, modal: { ...opened.modal, components: [{ type: 18, label: 'Fields', component }] } }
    expect(said(await s.discord.submitModal(s.url, asText, { text: 'name: Grace' }))).toBe(NO_LONGER_OPEN)
    expect(await forwarded()).toBeUndefined()
  })

  it.each([
    'chat-form', 'chat-form::', 'chat-form:x:submit', 'other', '%:edit:9', '%:edit:0.0.x', '%:save', '%:pick:0',
    '%:constructor', '%:next',
  ])('(tampered: %s) is answered politely', async (customId) => {
    const { opened } = await open({ name: 'Ada' })
    const context = String(opened.modal.custom_id).split(':').slice(0, 2).join(':')
    const tampered = { ...opened, modal: { ...opened.modal, custom_id: customId.replace('%', context) } }
    expect(said(await s.discord.submitModal(s.url, tampered, {}))).toContain('no longer open')
    expect(await forwarded()).toBeUndefined()
  })
})

it('keeps neither the card nor the token of the click in the state, nor the form once it is sent', async () => {
  const { id, opened } = await open({ secret: 'a unique secret value' })
  const form = String(opened.modal.custom_id).split(':')[1]!
  expect(await holding(redis.url, 'modal-context:discord:')).not.toEqual([])
  expect([await holding(redis.url, 'a unique secret value'), await holding(redis.url, 'token')]).toEqual([[], []])
  expect((await s.drafts.load(id, form)).text).toContain('a unique secret value')
  await s.discord.submitModal(s.url, opened, { i0: 'x' })
  await s.drain()
  expect([await s.drafts.load(id, form), await s.state.get(`discord-form:${form}`)]).toEqual([
    { text: null, isErased: true }, null,
  ])
})

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
