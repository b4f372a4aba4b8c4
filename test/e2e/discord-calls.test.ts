import { afterEach, describe, expect, it } from 'vitest'
import type { FormDiscordAdapter } from '../../server/platforms/discord/adapter'
import { startBotServer } from '../support/discord/bot-server'
import { endAfterAll } from '../support/lifetime'

const s = endAfterAll(await startBotServer())

afterEach(() => { s.discord.fault = () => undefined })

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
