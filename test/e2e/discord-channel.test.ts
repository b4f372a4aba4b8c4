import { createRedisState } from '@chat-adapter/state-redis'
import { ConsoleLogger } from 'chat'
import { afterEach, expect, it } from 'vitest'
import { deploy } from '../support/deployment'
import { withDiscord } from '../support/discord/deployed'
import type { DiscordMessage } from '../support/discord/types'
import { until } from '../support/until'

const { d, discord } = await withDiscord(deploy)
afterEach(() => { discord.fault = () => undefined })

const answersIn = (channelId: string) => (
  discord.messages(channelId).filter(({ author }) => author.id === discord.applicationId)
)
const text = ({ embeds: [embed] }: DiscordMessage) => String(embed?.description).replaceAll('\\', '')

/** Mentions the bot; resolves with its first answer in the channel, or in the thread that it opens. */
async function mention(words: string, isInThread = false): Promise<DiscordMessage> {
  const before = answersIn(discord.channelId).length
  const { id } = discord.emitMessage({ content: `<@${discord.applicationId}> ${words}` })
  return until('the answer', () => isInThread ? answersIn(id)[0] : answersIn(discord.channelId)[before])
}

/** True if a message there without a mention is answered. A channel's events are handled in order. */
async function isFollowed(): Promise<boolean> {
  const before = answersIn(discord.channelId).length
  discord.emitMessage({ content: 'status' })
  discord.fault = () => undefined
  await mention('status', true)
  await d.server.drain()
  return answersIn(discord.channelId).length > before
}

/** Makes Discord refuse a thread: not allowed, or temporarily failing. */
const without = (status: number) => ({ path }: { path: string }) => path.endsWith('/threads')
  ? { status, body: JSON.stringify({ code: status === 403 ? 50013 : 0, message: 'No' }) }
  : undefined

it('a mention of which no thread is made is welcomed in the channel, and told that only mentions are answered there', async () => {
  discord.fault = without(403)
  expect(text(await mention('hi'))).toMatch(/^Hello Ada Lovelace.* Mention me whenever you need me here\.$/)
})

it.each([403, 500])('one of which Discord makes none (%d) is answered there, and the channel is not followed', async (status) => {
  discord.fault = without(status)
  expect(text(await mention('what?'))).toContain('Type help')
  expect(await isFollowed()).toBe(false)
})

it.each([
  ['words', async () => void discord.emitMessage({ content: 'what?' }), 0],
  ['a mention, which is answered', () => mention('what?'), 1],
])('a channel that was followed is not after %s', async (_, said, answers) => {
  const state = createRedisState({ url: d.redis.url, logger: new ConsoleLogger('silent') })
  await state.connect()
  const thread = `discord:${discord.guildId}:${discord.channelId}`
  await state.subscribe(thread)
  const before = answersIn(discord.channelId).length
  discord.fault = without(403)
  await said()
  expect(await isFollowed()).toBe(false)
  expect(answersIn(discord.channelId)).toHaveLength(before + answers)
  expect(await state.isSubscribed(thread)).toBe(false)
  await state.disconnect()
})

it('a name in plain text, of which Discord makes no mention, is not answered', async () => {
  const before = answersIn(discord.channelId).length
  const { id } = discord.emitMessage({ content: '@form-bot what?' })
  expect(await isFollowed()).toBe(false)
  expect([answersIn(discord.channelId).length, answersIn(id)]).toEqual([before, []])
})
