import { Client, GatewayIntentBits } from 'discord.js'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startDiscord, type DiscordDouble } from '../../support/discord/discord'
import { button, post, rest, row, times } from '../../support/discord/fixtures'
import type { Json } from '../../support/discord/types'
import { endAfterTest } from '../../support/lifetime'
import { until } from '../../support/until'

let discord: DiscordDouble
beforeEach(async () => { discord = endAfterTest(await startDiscord({ answerWithinMs: 300 })) })

const link = (url: string) => ({ components: [row({ type: 2, style: 5, label: 'Open', url })] })

test.each<[string, Json, Json]>([
  ['a blank field', { embeds: [{ fields: [{ name: 'a', value: 'a' }] }] }, { embeds: [{ fields: [
    { name: 'a', value: ' ' },
  ] }] }],
  ['more than 6,000 characters over all embeds', { embeds: times(2, () => ({ description: 'x'.repeat(3000) })) }, {
    embeds: [{ description: 'x'.repeat(3000) }, { description: 'x'.repeat(3001) }],
  }],
  ['a repeated custom_id', { components: [row(button(1), button(2))] }, { components: [row(button(1), button(1))] }],
  ['a link of another scheme', link('https://example.com'), link('javascript:alert(1)')],
  ['nothing to show', { content: 'a' }, { content: ' ' }],
])('a message with %s, which Discord\'s own description allows, is refused', async (_, accepted, refused) => {
  expect((await post(discord, accepted)).status).toBe(200)
  expect((await post(discord, refused)).status).toBe(400)
  expect(discord.messages()).toHaveLength(1)
})

test.each([
  ['has a field that it does not know', { embeds: [{ titel: 'Card', title: 'a' }] }, 'embeds.0.titel'],
  ['has a field of another kind', { content: 'a', tts: 'no' }, 'tts: Invalid input'],
])('a message that is taken, and %s in Discord\'s own description, is an error at the end', async (_, body, mistake) => {
  const strict = await startDiscord()
  expect(await post(strict, body)).toMatchObject({ status: 200 })
  await expect(strict.close()).rejects.toThrow(`POST /channels/:id/messages ${mistake}`)
})

test('a message pings whom its content mentions, unless allowed_mentions forbids it', async () => {
  const content = `@everyone <@${discord.user.id}> <@&77>`
  await post(discord, { content })
  await post(discord, { content, allowed_mentions: { parse: [] } })
  expect(discord.messages().map(({ pings }) => pings)).toEqual([
    { everyone: true, users: [discord.user.id], roles: ['77'] }, { everyone: false, users: [], roles: [] },
  ])
})

test('a click without an answer in time has failed, and its token is worthless', async () => {
  await post(discord, { content: 'a', components: [row(button(1))] })
  const { requests, token } = await discord.click('gateway', discord.messages()[0]!, 'b1').then(answer => ({
    ...answer, requests: discord.requests.length,
  }))
  const late = await rest(discord, 'POST', `/webhooks/${discord.applicationId}/${token}`, { content: 'late' }, '')
  expect([requests, late]).toMatchObject([1, { status: 404, body: { code: 10015 } }])
})

test('a stock client of Discord hears a message', async () => {
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits
  const client = new Client({
    intents: Guilds | GuildMessages | MessageContent, rest: { api: discord.restUrl.replace('/v10', '') },
  })
  onTestFinished(() => client.destroy())
  const heard: string[] = []
  client.on('messageCreate', ({ author, content }) => void heard.push(`${author.displayName}: ${content}`))
  const ready = new Promise(resolve => client.once('clientReady', resolve))
  await client.login(discord.botToken)
  await ready
  discord.emitMessage({ content: 'hello' })
  await until('the message', () => heard.length > 0)
  expect(heard).toEqual(['Ada Lovelace: hello'])
})
