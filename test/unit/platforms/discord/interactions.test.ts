import { ExternalSelect, Modal, TextInput, type Chat, type ModalResponse } from 'chat'
import { afterEach, describe, expect, it } from 'vitest'
import type { FormDiscordAdapter } from '../../../../server/platforms/discord/adapter'
import { startBotServer } from '../../../support/discord/bot-server'
import { buttonOf, openEdit, press } from '../../../support/discord/edit-form'
import { button, post, rest, row } from '../../../support/discord/fixtures'
import { forwardInteractions } from '../../../support/discord/forwarding'
import { modalInputs } from '../../../support/discord/modal'
import type { DiscordMessage } from '../../../support/discord/types'
import { endAfterAll } from '../../../support/lifetime'
import { until } from '../../../support/until'

const ELSEWHERE = 'This submission belongs to another channel, so nothing was changed. Decide it on its card there.'

/** Gate that the test's handlers wait for, and their answers */
let gate = Promise.withResolvers<unknown>()
let answers: (ModalResponse | undefined)[] = []
let submitted: Record<string, string>[] = []

const PIZZA = Modal({ callbackId: 'order', title: 'Order', children: [
  TextInput({ id: 'size', label: 'Size', initialValue: 'm' }),
  TextInput({ id: 'name', label: 'Name' }),
] })

function register(bot: Chat): void {
  bot.onAction('order', async event => void await event.openModal(PIZZA))
  bot.onAction('slow-order', async (event) => {
    await gate.promise
    await event.openModal(PIZZA)
  })
  bot.onAction('quantity', async event => void await event.openModal(
    Modal({ callbackId: 'order', title: 'Order', children: [ExternalSelect({ id: 'n', label: 'N' })] }),
  ))
  bot.onSlashCommand('/forms', async ({ text, user, channel }) => {
    if (text.startsWith('show')) await gate.promise
    await channel.postEphemeral(user, `You said ${text}`, { fallbackToDM: false })
  })
  bot.onModalSubmit('order', async ({ values }) => {
    submitted.push(values)
    await gate.promise
    return answers.shift()
  })
}

const s = endAfterAll(await startBotServer({ register }))

afterEach(async () => {
  gate.resolve(null)
  await s.drain()
  gate = Promise.withResolvers()
  s.discord.fault = () => undefined
  s.endpoint.calls.length = 0
  submitted = []
  answers = []
})

async function messageWith(action: string): Promise<DiscordMessage> {
  const { body } = await post(s.discord, { content: 'Press', components: [row(button(0, { custom_id: action }))] })
  return body as DiscordMessage
}

describe('a request', () => {
  it('that is a PING is answered by a PONG', async () => {
    expect((await s.discord.ping(s.url)).body).toEqual({ type: 1 })
  })

  it('that is signed but no JSON is refused', async () => {
    expect((await s.discord.send(s.url, 'no json')).status).toBe(400)
  })
})

describe('a click', () => {
  it.each(['forward', 'spam'])('on %s decides, and the card names who, without asking Discord', async (action) => {
    const { id, card } = await s.submit({ name: 'Ada' })
    s.discord.requests.length = 0
    const answer = await s.discord.click(s.url, card, buttonOf(action, id))
    expect(answer.body).toEqual({ type: 6 })
    await s.drain()
    expect(JSON.stringify(s.cardNow(card).embeds)).toContain('by Ada Lovelace on Discord')
    expect(s.cardNow(card).components).toEqual([])
    const asked = s.discord.requests.map(({ method, path }) => `${method} ${path.split('/').at(-2)}`)
    expect(asked).toEqual(['PATCH messages'])
    const late = await s.discord.click(s.url, card, buttonOf(action, id))
    const by = expect.stringMatching(/^(?:Forwarded|Marked as spam) by Ada Lovelace on Discord, /) as string
    expect(late.body).toMatchObject({ type: 4, data: { flags: 64, content: by } })
    expect(s.endpoint.calls).toHaveLength(action === 'forward' ? 1 : 0)
  })

  /** Posts a copy of our card with its buttons in another channel. */
  const copyIn = async (channelId: string, id: string) => (
    (await rest(s.discord, 'POST', `/channels/${channelId}/messages`, { content: 'Press', components: [
      row(...['forward', 'spam', 'edit'].map((action, index) => button(index, { custom_id: buttonOf(action, id) }))),
    ] })).body as DiscordMessage
  )

  it('in a private chat has no effect and opens no form, nor has a form that is sent from there; both are told', async () => {
    const { id, card } = await s.submit({ name: 'Ada' })
    const copy = await copyIn(s.discord.openDm().id, id)
    for (const action of ['forward', 'spam', 'edit']) {
      const { body } = await s.discord.click(s.url, copy, buttonOf(action, id))
      expect(body).toMatchObject({ type: 4, data: { flags: 64, content: ELSEWHERE } })
    }
    const { opened } = await openEdit(s, card, id)
    const { message } = await s.discord.submitModal(s.url, { ...opened, message: copy }, {})
    expect(message!.content).toBe(ELSEWHERE)
    await s.drain()
    expect(s.logged.filter(line => line.startsWith('review.misplaced') && line.includes(id))).toHaveLength(4)
    expect(s.endpoint.calls).toEqual([])
    expect((await s.store.get(id))!.state).toBe('open')
  })

  it('in a thread of the channel decides', async () => {
    const { id, card } = await s.submit({ name: 'Ada' })
    const { body: thread } = await rest(
      s.discord, 'POST', `/channels/${s.discord.channelId}/messages/${card.id}/threads`, { name: 'About it' },
    )
    await s.discord.click(s.url, await copyIn(String(thread.id), id), buttonOf('forward', id))
    await s.drain()
    expect(s.endpoint.calls).toHaveLength(1)
  })

  it('that could not be stored is told in private, and the card stays open', async () => {
    const { id, card } = await s.submit({ name: 'Ada' })
    const { get } = s.store
    s.store.get = async () => { throw new Error('The store does not answer.') }
    const answers = await Promise.all(
      ['forward', 'spam', 'edit'].map(action => s.discord.click(s.url, card, buttonOf(action, id))),
    )
    s.store.get = get
    expect(answers.map(({ message }) => [message?.content, message?.flags])).toEqual(
      answers.map(() => ['That did not work just now. Nothing is lost: press the button again in a moment.', 64]),
    )
    expect(s.cardNow(card)).toEqual(card)
  })

  it('about nothing has no effect and no error', async () => {
    for (const id of ['forward', 'edit\nunknown', 'nothing', 'spam\n']) {
      expect((await s.discord.click(s.url, await messageWith(id), id)).body).toEqual({ type: 6 })
    }
  })

  it('names the reviewer as the server does', async () => {
    const { id, card } = await s.submit({ name: 'Ada' })
    const { body } = await s.discord.click(
      s.url, card, buttonOf('forward', id), { user: { id: '77', username: 'grace', global_name: null } },
    )
    expect(body).toEqual({ type: 6 })
    await s.drain()
    expect(JSON.stringify(s.cardNow(card).embeds)).toContain('Forwarded by grace on Discord')
  })
})

describe('a modal', () => {
  it('opens, and its values reach the handler', async () => {
    gate.resolve(null)
    const { opened } = await s.discord.click(s.url, await messageWith('order'), 'order')
    const inputs = modalInputs(opened!).map(({ type, label, value }) => [type, label, value])
    expect(inputs).toEqual([[4, 'Size', 'm'], [4, 'Name', '']])
    const answer = await s.discord.submitModal(s.url, opened!, { i0: 's', i1: 'Ada' })
    expect(submitted).toEqual([{ size: 's', name: 'Ada' }])
    expect(answer.body).toEqual({ type: 6 })
  })

  it('with an input that Discord lacks is an error in the log, not a modal without it', async () => {
    const answer = await s.discord.click(s.url, await messageWith('quantity'), 'quantity')
    expect(answer.body).toEqual({ type: 6 })
    expect(s.logged.at(-1)).toContain('TypeError')
  })

  it('that comes too late is opened by one more click', async () => {
    const answer = await s.discord.click(s.url, await messageWith('slow-order'), 'slow-order')
    expect(answer.body).toEqual({ type: 6 })
    gate.resolve(null)
    const offer = await until(
      'the offer to open it', () => s.discord.ephemeral().find(({ content }) => content === 'The form took too long to load. Press the button to open it.'),
    )
    const { opened } = await press(s, offer, 'Open the form')
    expect((await s.discord.submitModal(s.url, opened!, { i1: 'Ada' })).message?.content).toBe('Done.')
  })

  it('submitted to a slow handler is acknowledged in time, and its errors follow', async () => {
    answers = [{ action: 'errors', errors: { name: 'Who is *that*?' } }]
    const { opened } = await s.discord.click(s.url, await messageWith('order'), 'order')
    expect((await s.discord.submitModal(s.url, opened!, { i1: 'Nobody' })).body).toEqual({ type: 6 })
    gate.resolve(null)
    const refused = await until(
      'the errors', () => s.discord.ephemeral().find(({ content }) => content.includes('Who is')),
    )
    expect(refused.content).toBe('Not sent yet:\n• **Name**: Who is \\*that\\*?')
    const again = await press(s, refused, 'Edit again')
    expect(modalInputs(again.opened!).map(({ value }) => value)).toEqual(['m', 'Nobody'])
  })
})

describe('over the gateway', () => {
  it('a click opens the form and a submit decides, answered through REST', async () => {
    const close = await forwardInteractions(s)
    const { id, card } = await s.submit({ name: 'Ada' })
    const { opened } = await openEdit({ ...s, url: 'gateway' }, card, id)
    await s.discord.submitModal('gateway', opened, { i0: 'Grace' })
    await s.drain()
    expect(JSON.parse(s.endpoint.calls[0]!.body)).toEqual({ name: 'Grace' })
    const responses = s.discord.interactionResponses.slice(-2)
    expect(responses.map(({ via, type }) => [via, type])).toEqual([['rest', 9], ['rest', 6]])
    close()
  })
})

describe('a slash command', () => {
  it('is answered at once, to its sender alone', async () => {
    const { body } = await s.discord.command(s.url, '/forms pending')
    expect(body).toMatchObject({ type: 4, data: { flags: 64, content: 'You said pending' } })
  })

  it('to a slow handler is told to wait, and the answer takes the place of that', async () => {
    const { body, message } = await s.discord.command(s.url, '/forms show Ada')
    expect(body).toEqual({ type: 5, data: { flags: 64 } })
    gate.resolve(null)
    await until('the answer', () => s.discord.ephemeral().some(({ id, content }) => (
      id === message!.id && content === 'You said show Ada'
    )))
  })
})

const adapter = () => s.bots[0]!.getAdapter('discord') as FormDiscordAdapter

describe('calls through the SDK', () => {
  const refuse = (times: number, retryAfter: number) => {
    let left = times
    s.discord.fault = () => left-- > 0
      ? { status: 429, body: JSON.stringify({
          message: 'You are being rate limited.', retry_after: retryAfter, global: false,
        }) }
      : undefined
  }

  it('are repeated once after a short pause that Discord asks for', async () => {
    refuse(1, 0.05)
    expect(await adapter().getUser(s.discord.user.id)).toMatchObject({ fullName: 'Ada Lovelace' })
  })

  it.each([[2, 0.05], [1, 30]])('fail when refused %i times for %d s', async (times, seconds) => {
    refuse(times, seconds)
    expect(await adapter().getUser(s.discord.user.id)).toBeNull()
  })

  it('that say something, or go on with it, wait for as long as Discord asks', async () => {
    const thread = `discord:${s.discord.guildId}:${s.discord.channelId}`
    refuse(2, 1.2)
    const { id } = await adapter().postMessage(thread, 'One.')
    refuse(2, 1.2)
    await adapter().editMessage(thread, id, 'One. Two.')
    expect(s.discord.messages().find(message => message.id === id)!.content).toBe('One. Two.')
    refuse(1, 3600)
    await expect(adapter().postMessage(thread, 'Three.')).rejects.toThrow('too many requests')
  })

  it('ping nobody by what they quote', async () => {
    await adapter().postMessage(
      `discord:${s.discord.guildId}:${s.discord.channelId}`, `@everyone <@${s.discord.user.id}>`,
    )
    expect(s.discord.messages().at(-1)!.pings).toEqual({ everyone: false, users: [], roles: [] })
  })

  it('with a file go to the configured API, and ping nobody', async () => {
    const thread = `discord:${s.discord.guildId}:${s.discord.channelId}`
    await adapter().postMessage(thread, { markdown: `<@${s.discord.user.id}>`, files: [
      { data: Buffer.from('a,b'), filename: 'forms.csv', mimeType: 'text/csv' },
    ] })
    expect(s.discord.messages().at(-1)).toMatchObject({
      attachments: [{ filename: 'forms.csv', size: 3 }], pings: { users: [] },
    })
  })

  it('fetch a message outside a click', async () => {
    const { card } = await s.submit({ name: 'Ada' })
    expect(
      await adapter().fetchMessage(`discord:${s.discord.guildId}:${s.discord.channelId}`, card.id),
    ).toMatchObject({ id: card.id })
  })
})

it('a private message is possible only while a click is handled', async () => {
  expect(
    await adapter().postEphemeral(`discord:${s.discord.guildId}:${s.discord.channelId}`, s.discord.user.id, 'Hello'),
  ).toBeNull()
})
