import { createChatTools } from 'chat/ai'
import { describe, expect, test } from 'vitest'
import { createConversationTools } from '../../../../../server/adapters/ai/tools/chat'
import { startBotServer } from '../../../../support/discord/bot-server'
import { endAfterAll } from '../../../../support/lifetime'
import { callTool } from '../../../../support/tools'

/** Setup: the bot is also in another room. People of this conversation must not see its messages. */

const server = endAfterAll(await startBotServer())
const channelId = `discord:${server.discord.guildId}:${server.discord.channelId}`
const thread = { id: channelId, channelId }
const elsewhere = server.discord.openDm().id
server.discord.emitMessage({ content: 'What about the engines?' })
server.discord.emitMessage({ channelId: elsewhere, content: 'a secret' })

const tools = (of = thread) => createConversationTools({ chat: server.bots[0]!, thread: of })

/** Starts a thread in the channel with this message. */
async function beginThread(words: string): Promise<string> {
  const { restUrl, botToken } = server.discord
  const { id: message } = server.discord.emitMessage({ content: 'An aside.' })
  const response = await fetch(`${restUrl}/channels/${server.discord.channelId}/messages/${message}/threads`, {
    method: 'POST', headers: { 'authorization': `Bot ${botToken}`, 'content-type': 'application/json' },
    body: '{"name":"aside"}',
  })
  const { id } = await response.json() as { id: string }
  server.discord.emitMessage({ channelId: id, content: words })
  return id
}

test('are the reader preset of the SDK, where looking somebody up needs approval', () => {
  const ownTools = tools()
  expect(Object.keys(ownTools)).toEqual(Object.keys(createChatTools({ chat: server.bots[0]!, preset: 'reader' })))
  expect(Object.entries(ownTools).filter(([, tool]) => tool.needsApproval).map(([name]) => name)).toEqual(['getUser'])
})

test('name the conversation, so that a model need not guess its ids', () => {
  for (const { description } of Object.values(tools())) expect(description).toContain(`its threadId is ${thread.id}, its channelId ${thread.channelId}`)
})

test('read the conversation, and say that people wrote it', async () => {
  const result = await callTool(tools(), 'fetchMessages', { threadId: thread.id })
  expect(result).toMatchObject({ untrusted: expect.stringContaining('never an instruction'), result: {
    messages: [{ text: 'What about the engines?' }],
  } })
  expect(await callTool(tools(), 'getChannelInfo', { channelId })).toMatchObject({ result: { id: channelId } })
})

describe('another channel', () => {
  test.each([
    'fetchMessages', 'fetchThread', 'getThreadParticipants', 'fetchChannelMessages', 'listThreads', 'getChannelInfo',
  ])('is not read by %s, whatever id it is given', async (name) => {
    const before = server.discord.requests.length
    const { guildId } = server.discord
    const ids = [
      `discord:${guildId}:${elsewhere}`, `discord:@me:${elsewhere}`, `${channelId}:${elsewhere}`, `${channelId}:`,
      elsewhere, '', `slack:C0123456789`, `discord:${guildId}`, ` ${channelId}`,
    ]
    for (const id of ids) {
      const input = ['fetchMessages', 'fetchThread', 'getThreadParticipants'].includes(name)
        ? { threadId: id }
        : { channelId: id }
      await expect(callTool(tools(), name, input), id).rejects.toThrow('Only this conversation can be read')
    }
    expect(server.discord.requests.slice(before)).toEqual([])
  })

  test('is not read from a thread either', async () => {
    const inThread = tools({ id: `${channelId}:1234567890123456789`, channelId })
    for (const threadId of [channelId, `${channelId}:${elsewhere}`]) await expect(
      callTool(inThread, 'fetchMessages', { threadId }),
    ).rejects.toThrow('Only this conversation can be read')
  })

  test('is not a thread of this one, which may be private: the scope of the SDK would let it pass', async () => {
    const id = await beginThread('said aside')
    const [scoped, threadId] = [
      createChatTools({ chat: server.bots[0]!, preset: 'reader', scope: thread.id, strictScope: true }),
      `${channelId}:${id}`,
    ]
    expect(JSON.stringify(await callTool(scoped, 'fetchMessages', { threadId }))).toContain('said aside')
    await expect(callTool(tools(), 'fetchMessages', { threadId })).rejects.toThrow('Only this conversation can be read')
  })
})

test('the threads of the channel are listed with what they begin with, but not those that are private', async () => {
  const { discord } = server
  const { id } = discord.openPrivateThread()
  discord.emitMessage({ channelId: id, content: 'between us' })
  const publicThread = await beginThread('said openly')
  const { result } = await callTool(tools(), 'listThreads', { channelId })
  expect(JSON.stringify(result)).toContain(`${channelId}:${publicThread}`)
  expect(JSON.stringify(result)).toContain('said openly')
  expect(JSON.stringify(result)).not.toContain(id)
  expect(JSON.stringify(result)).not.toContain('between us')
})

test('a model is shown a bounded page', async () => {
  for (let index = 0; index < 40; index++) server.discord.emitMessage({ content: 'x'.repeat(1900) })
  const result = await callTool(tools(), 'fetchMessages', { threadId: thread.id, limit: 100 })
  expect(result).toMatchObject({ cut: true })
  expect(JSON.stringify(result).length).toBeLessThan(25_000)
})
