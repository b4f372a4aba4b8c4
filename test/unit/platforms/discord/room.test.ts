import { beforeEach, describe, expect, it } from 'vitest'
import { Card, CardLink, CardText } from 'chat'
import { renderCard } from '../../../../server/adapters/chat/cards'
import type { DiscordSettings } from '../../../../server/platforms/discord/api/rest'
import { createDiscordRoom } from '../../../../server/platforms/discord/api/room'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { discord as platform } from '../../../../server/platforms/discord/definition'
import type { CardRef } from '../../../../server/ports/submission'
import { openView } from '../../../fixtures/views'
import { startDiscord, type DiscordDouble } from '../../../support/discord/discord'
import { endAfterTest } from '../../../support/lifetime'
import { postJson } from '../../../support/webhook'

let discord: DiscordDouble

beforeEach(async () => { discord = endAfterTest(await startDiscord()) })

const settings = (): DiscordSettings & { channelId: string } => ({
  botToken: discord.botToken, publicKey: discord.publicKey, applicationId: discord.applicationId,
  channelId: discord.channelId, apiUrl: discord.restUrl,
})
const room = (changed: Partial<DiscordSettings> = {}) => createDiscordRoom(
  { ...settings(), ...changed }, createHttpClient(),
)
const cardOf = (data: Record<string, string>) => renderCard(openView(data), platform).card
const CARD = () => cardOf({ name: 'Ada' })

async function posted(): Promise<CardRef> {
  const outcome = await room().post(CARD(), '', 'submission-1')
  if (!outcome.ok) throw new Error(outcome.reason)
  return outcome.value
}

describe('a card', () => {
  it('is posted, and found again by the SDK\'s ids', async () => {
    const [message] = [await posted(), discord.messages()[0]!]
    expect(message).toEqual({
      platform: 'discord', threadId: `discord:${discord.guildId}:${discord.channelId}`,
      messageId: discord.messages()[0]!.id,
    })
  })

  it('pings nobody, whatever it says', async () => {
    const outcome = await room().post(
      cardOf({ '@everyone': `<@${discord.user.id}> @here` }), '@everyone', 'submission-1',
    )
    expect(outcome.ok).toBe(true)
    const [message] = discord.messages()
    expect(message).toMatchObject({
      content: '', pings: { everyone: false, users: [], roles: [] }, allowed_mentions: { parse: [] },
    })
  })

  it('that is posted again because the answer was lost is one card', async () => {
    const one = room()
    discord.fault = ({ method }) => method === 'POST' ? 'lose-answer' : undefined
    expect(await one.post(CARD(), '', 'submission-1')).toMatchObject({
      ok: false, permanent: false, reason: 'Discord: no connection.',
    })
    discord.fault = () => undefined
    expect(await room().post(CARD(), '', 'submission-1')).toMatchObject({
      ok: true, value: { messageId: discord.messages()[0]!.id },
    })
    expect(discord.messages()).toHaveLength(1)
  })

  it('asks once which server the channel is in, or never when that is configured', async () => {
    const one = room()
    for (const name of ['a', 'b']) await one.post(cardOf({ name }), '', `submission-${name}`)
    await room({ guildId: discord.guildId }).post(CARD(), '', 'submission-1')
    expect(discord.requests.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  it('in a thread that archived itself opens the thread when it is edited, answered or posted', async () => {
    const { id: channelId } = discord.openPrivateThread()
    const inThread = room({ channelId })
    const writes = [
      () => inThread.update(ref, cardOf({ name: 'Grace' }), ''),
      () => inThread.say(CARD(), 'A reminder', ref),
      () => inThread.post(CARD(), '', 'submission-2'),
    ]
    const outcome = await inThread.post(CARD(), '', 'submission-1')
    const ref = (outcome as Extract<typeof outcome, { ok: true }>).value
    for (const write of writes) {
      discord.archive(channelId)
      expect(await write()).toMatchObject({ ok: true })
    }
    expect(JSON.stringify(discord.messages(channelId)[0])).toContain('Grace')
    expect(discord.messages(channelId)).toHaveLength(3)
    discord.archive(channelId, true)
    expect(await writes[0]!()).toMatchObject({
      ok: false, permanent: true, reason: expect.stringContaining('The thread is archived or locked; open it again'),
    })
    discord.archive(channelId)
    discord.fault = ({ method, path }) => method === 'PATCH' && path.endsWith(channelId) ? { status: 503 } : undefined
    expect(await writes[0]!()).toMatchObject({ ok: false, permanent: false })
  })

  it('is updated in place', async () => {
    const ref = await posted()
    expect(await room().update(ref, cardOf({ name: 'Grace' }), '')).toEqual({ ok: true, value: undefined })
    expect(JSON.stringify(discord.messages()[0]!.embeds)).toContain('Grace')
    expect(discord.messages()).toHaveLength(1)
  })

  it('in a thread has the thread\'s id', async () => {
    const { messageId } = await posted()
    await postJson(`${discord.restUrl}/channels/${discord.channelId}/messages/${messageId}/threads`, '{"name":"forms"}', { authorization: `Bot ${discord.botToken}` })
    const outcome = await room({ channelId: messageId }).post(cardOf({ name: 'Grace' }), '', 'submission-1')
    expect(outcome).toMatchObject({
      ok: true, value: { threadId: `discord:${discord.guildId}:${discord.channelId}:${messageId}` },
    })
    expect(discord.messages(messageId)).toHaveLength(1)
  })
})

describe('a word', () => {
  it('is said below a card, literally, and in the channel with its link', async () => {
    const ref = await posted()
    await room().say(Card({ children: [CardText('*Expires* soon')] }), 'Expires soon', ref)
    await room().say(
      Card({ children: [CardText('51 wait'), CardLink({ label: 'Open', url: 'https://forms.example.com' })] }),
      '51 wait',
    )
    const [, reply, notice] = discord.messages()
    expect(reply).toMatchObject({
      type: 19, message_reference: { message_id: ref.messageId }, embeds: [{ description: '\\*Expires\\* soon' }],
      pings: { everyone: false, users: [], roles: [] },
    })
    expect(notice).toMatchObject({ embeds: [{ description: '51 wait\n[Open](https://forms.example.com)' }] })
  })
})

describe('a refusal', () => {
  it.each([
    ['with retry_after', { body: '{"retry_after":1.25,"global":false}' }, 1250],
    ['with Retry-After', { body: 'slow down', headers: { 'retry-after': '3' } }, 3000],
    ['with neither', { body: '{}' }, 1000],
  ])('for too many requests %s is passing, and says when to come back', async (_, answer, retryAfterMs) => {
    discord.fault = () => ({ status: 429, ...answer })
    expect(await room().post(CARD(), '', 'submission-1')).toEqual({
      ok: false, permanent: false, limited: true, reason: 'Discord: too many requests.', retryAfterMs,
    })
  })

  it('that never comes is passing', async () => {
    discord.fault = () => 'drop'
    expect(await room().post(CARD(), '', 'submission-1')).toEqual({
      ok: false, permanent: false, reason: 'Discord: no connection.',
    })
  })
})
