import { createDiscordAdapter } from '@chat-adapter/discord'
import { beforeEach, describe, expect, test } from 'vitest'
import { startDiscord, type DiscordDouble } from '../../../support/discord/discord'
import { button, embed, post, rest, row, select, text, times } from '../../../support/discord/fixtures'
import type { Json } from '../../../support/discord/types'
import { endAfterTest } from '../../../support/lifetime'

let discord: DiscordDouble

beforeEach(async () => { discord = endAfterTest(await startDiscord()) })

const fields = (count: number, name = 'Name', value = 'Value') => embed({
  fields: times(count, () => ({ name, value })),
})

/** Code of the first error in the tree. */
function firstCode(tree: Json): string {
  return (tree._errors?.[0]?.code ?? firstCode(Object.values(tree)[0] as Json)) as string
}

describe('a message', () => {
  test.each<[string, Json, Json, string?]>([
    ['content of 2,000 characters', { content: text(2000) }, { content: text(2001) }],
    ['a field name of 1', fields(1, 'a'), fields(1, ' '), 'BASE_TYPE_REQUIRED'],
    ['a field value of 1', fields(1, 'a', 'a'), fields(1, 'a', ''), 'BASE_TYPE_REQUIRED'],
    [
      '6,000 characters over all embeds', { embeds: times(2, () => ({ description: text(3000) })) },
      { embeds: [{ description: text(3000) }, { description: text(3001) }] }, 'MAX_EMBED_SIZE_EXCEEDED',
    ],
    ['5 rows', { components: times(5, index => row(button(index))) }, {
      components: times(6, index => row(button(index))),
    }],
    [
      'a label of 1', { components: [row(button(1, { label: 'a' }))] }, { components: [row(button(1, { label: '' }))] },
      'BASE_TYPE_REQUIRED',
    ],
    [
      'different custom_ids', { components: [row(button(1)), row(button(2))] },
      { components: [row(button(1)), row(button(1))] }, 'COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    [
      'a link with a url', { components: [row({ type: 2, style: 5, label: 'Open', url: 'https://example.com' })] },
      { components: [row(button(1, { style: 5, url: 'https://example.com' }))] },
      'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
    ],
    [
      'an https link', { components: [row({ type: 2, style: 5, label: 'Open', url: 'https://example.com' })] },
      { components: [row({ type: 2, style: 5, label: 'Open', url: 'javascript:alert(1)' })] },
      'URL_TYPE_INVALID_SCHEME',
    ],
    [
      'one select in a row', { components: [row(select())] }, { components: [row(select(), button(1))] },
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    ],
  ])('with %s is accepted, one step further is refused with 50035', async (
    _, accepted, refused, code = 'BASE_TYPE_MAX_LENGTH',
  ) => {
    expect((await post(discord, accepted)).status).toBe(200)
    const answer = await post(discord, refused)
    expect(answer).toMatchObject({ status: 400, body: { code: 50035, message: 'Invalid Form Body' } })
    expect(firstCode(answer.body.errors as Json)).toBe(code)
    expect(discord.messages()).toHaveLength(1)
  })

  test('without anything to show is refused with 50006, when posted and when edited', async () => {
    expect(await post(discord, { content: ' ' })).toMatchObject({ status: 400, body: { code: 50006 } })
    const { body } = await post(discord, { content: 'a' })
    expect(
      await rest(discord, 'PATCH', `/channels/${discord.channelId}/messages/${body.id}`, { content: '' }),
    ).toMatchObject({ status: 400, body: { code: 50006 } })
  })

  test('names the place of an error as a tree', async () => {
    expect(
      (await post(discord, { embeds: [{ title: 'a' }, { fields: [{ name: 'a', value: '' }] }] })).body.errors,
    ).toEqual({ embeds: {
      1: { fields: { 0: { value: { _errors: [{ code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }] } } } },
    } })
  })

  test('pings whom its content mentions, unless allowed_mentions forbids it; embeds never ping', async () => {
    const content = `@everyone <@${discord.user.id}> <@&77>`
    await post(discord, { content })
    await post(discord, { content, allowed_mentions: { parse: [] } })
    await post(discord, { content, allowed_mentions: { parse: ['users'], roles: ['77'] } })
    await post(discord, embed({ description: content }))
    const none = { everyone: false, users: [], roles: [] }
    expect(discord.messages().map(({ pings }) => pings)).toEqual([
      { everyone: true, users: [discord.user.id], roles: ['77'] }, none,
      { everyone: false, users: [discord.user.id], roles: ['77'] }, none,
    ])
  })

  test('with an enforced nonce is posted once and answered twice', async () => {
    const first = await post(discord, { content: 'a', nonce: 'n', enforce_nonce: true })
    const second = await post(discord, { content: 'b', nonce: 'n', enforce_nonce: true })
    expect(second.body.id).toBe(first.body.id)
    expect(discord.messages().map(({ content }) => content)).toEqual(['a'])
  })

  test('can be read, edited, reacted to, discussed and deleted', async () => {
    const { body: { id } } = await post(discord, { ...embed({}), components: [row(button(1))] })
    const path = `/channels/${discord.channelId}/messages/${id}`
    expect((await rest(discord, 'PATCH', path, { components: [] })).body).toMatchObject({
      embeds: [{ title: 'Card' }], components: [], edited_timestamp: expect.any(String),
    })
    expect((await rest(discord, 'PUT', `${path}/reactions/${encodeURIComponent('👍')}/@me`)).status).toBe(204)
    expect((await rest(discord, 'POST', `${path}/threads`, { name: 'Talk' })).body).toMatchObject({
      id, parent_id: discord.channelId,
    })
    expect((await rest(discord, 'POST', `${path}/threads`, { name: 'Talk' })).body.code).toBe(160004)
    expect((await rest(discord, 'GET', path)).body).toMatchObject({
      reactions: [{ count: 1, me: true }], thread: { name: 'Talk' },
    })
    expect((await rest(discord, 'DELETE', path)).status).toBe(204)
    expect((await rest(discord, 'PATCH', path, { content: 'a' }))).toMatchObject({ status: 404, body: { code: 10008 } })
  })

  test('lists page by after and before, newest first', async () => {
    const ids = times(5, index => discord.emitMessage({ content: String(index) }).id)
    const list = async (query: string) => ((await rest(
      discord, 'GET', `/channels/${discord.channelId}/messages?${query}`,
    )).body as unknown as Json[]).map(({ content }) => content)
    expect(await list('')).toEqual(['4', '3', '2', '1', '0'])
    expect(await list(`after=${ids[1]}&limit=2`)).toEqual(['3', '2'])
    expect(await list(`before=${ids[3]}&limit=2`)).toEqual(['2', '1'])
  })
})

test('a wrong token, an unknown channel and a fault are answered as Discord answers', async () => {
  expect(
    await rest(discord, 'GET', '/users/@me', undefined, 'Bot wrong'),
  ).toMatchObject({ status: 401, body: { code: 0 } })
  expect(await rest(discord, 'POST', '/channels/1/messages', { content: 'a' })).toMatchObject({
    status: 404, body: { code: 10003 },
  })
  discord.fault = () => ({ status: 429, headers: { 'retry-after': '1' }, body: '{"retry_after":1}' })
  expect(await post(discord, { content: 'a' })).toMatchObject({ status: 429, body: { retry_after: 1 } })
  expect(discord.requests.at(-1)).toMatchObject({
    method: 'POST', path: `/api/v10/channels/${discord.channelId}/messages`, status: 429,
  })
  discord.fault = () => 'lose-answer'
  await expect(post(discord, { content: 'arrived' })).rejects.toThrow('fetch failed')
  expect(discord.messages()).toMatchObject([{ content: 'arrived' }])
})

test.each([
  ['has a field that it does not know', embed({ titel: 'Card' }), 'embeds.0.titel: Discord does not know it'],
  ['has a field of another kind', { content: 'a', tts: 'no' }, 'tts: Invalid input'],
])('a message that is taken, and %s in Discord\'s own description, is an error at the end', async (_, body, mistake) => {
  const strict = await startDiscord()
  expect(await post(strict, body)).toMatchObject({ status: 200 })
  await expect(strict.close()).rejects.toThrow(`POST /channels/:id/messages ${mistake}`)
})

test('the stock adapter posts, edits and deletes a card', async () => {
  const adapter = createDiscordAdapter({
    apiUrl: discord.restUrl, botToken: discord.botToken, applicationId: discord.applicationId,
    publicKey: discord.publicKey,
  })
  const threadId = adapter.encodeThreadId({ guildId: discord.guildId, channelId: discord.channelId })
  const show = (title: string) => ({ card: { type: 'card' as const, title, children: [
    { type: 'actions' as const, children: [{ type: 'button' as const, id: 'forward', label: 'Forward' }] },
  ] } })
  const { id } = await adapter.postMessage(threadId, show('Form Submission'))
  expect(discord.messages()).toMatchObject([{ id, embeds: [{ title: 'Form Submission' }], components: [
    { components: [{ custom_id: 'forward', label: 'Forward' }] },
  ] }])
  await adapter.editMessage(threadId, id, show('Forwarded'))
  expect(discord.messages()).toMatchObject([{ embeds: [{ title: 'Forwarded' }], edited_timestamp: expect.any(String) }])
  await adapter.deleteMessage(threadId, id)
  expect(discord.messages()).toEqual([])
})
