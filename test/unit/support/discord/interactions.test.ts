import { createPublicKey, verify } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { startDiscord, type DiscordDouble } from '../../../support/discord/discord'
import { button, embed, option, post, rest, row, select, text, times } from '../../../support/discord/fixtures'
import { modalInput, modalInputs, modalNotes, modalValues } from '../../../support/discord/modal'
import type { Json } from '../../../support/discord/types'
import { endAfterTest } from '../../../support/lifetime'
import { startProxy } from '../../../support/proxy'

let discord: DiscordDouble
beforeEach(async () => { discord = endAfterTest(await startDiscord()) })

/** Service that answers every interaction with the result of `reply`. */
async function service(reply: (interaction: Json) => unknown) {
  const proxy = await startProxy(async ({ body }) => Response.json(await reply(JSON.parse(body) as Json)))
  const { url, requests: received } = endAfterTest(proxy)
  return { url, received }
}

async function card() {
  await post(discord, { ...embed({}), components: [
    row(button(1), button(2, { disabled: true })), row(select({ options: times(3, option), max_values: 2 })),
  ] })
  return discord.messages().at(-1)!
}

const labelled = (index: number, more: Json = {}) => ({
  type: 18, label: `Field ${index}`, component: { type: 4, custom_id: `f${index}`, style: 1, ...more },
})
const inRow = (index: number, more: Json = {}) => row({
  type: 4, custom_id: `f${index}`, style: 2, label: `Field ${index}`, ...more,
})
const modal = (more: Json = {}) => ({
  type: 9, data: { title: 'Edit', custom_id: 'edit', components: [labelled(0, { value: 'old' })], ...more },
})

describe('an interaction', () => {
  test('is signed with Ed25519 over timestamp and body', async () => {
    const { url, received } = await service(() => ({ type: 1 }))
    expect(await discord.ping(url)).toMatchObject({ status: 200, body: { type: 1 } })
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(discord.publicKey, 'hex').toString('base64url') },
      format: 'jwk',
    })
    const authentic = ({ headers, body }: typeof received[number]) => verify(
      null, Buffer.from(`${String(headers['x-signature-timestamp'])}${body}`), key,
      Buffer.from(String(headers['x-signature-ed25519']), 'hex'),
    )
    expect(authentic(received[0]!)).toBe(true)
    await discord.ping(url, { tamper: body => body.replace('"version":1', '"version":2') })
    await discord.ping(url, { headers: { 'x-signature-ed25519': '00' } })
    expect(received.map(authentic)).toEqual([true, false, false])
  })

  test('of a button names message, user and component; disabled and unknown ones cannot be pressed', async () => {
    const { url, received } = await service(() => ({ type: 6 }))
    const message = await card()
    expect(await discord.click(url, message, 'b1')).toMatchObject({ status: 200, body: { type: 6 } })
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      type: 3, data: { custom_id: 'b1', component_type: 2 }, message: { id: message.id, embeds: [{ title: 'Card' }] },
      member: { user: { global_name: 'Ada Lovelace' } }, channel_id: discord.channelId, guild_id: discord.guildId,
    })
    expect(received[0]!.body).not.toContain('"pings"')
    await discord.select(url, message, 's', ['v1', 'v2'])
    expect(JSON.parse(received[1]!.body)).toMatchObject({ data: { component_type: 3, values: ['v1', 'v2'] } })
    await expect(async () => discord.click(url, message, 'b2')).rejects.toThrow('disabled')
    await expect(async () => discord.click(url, message, 'b9')).rejects.toThrow('no component "b9"')
  })

  test('in a private conversation carries the user instead of a guild member', async () => {
    const { url, received } = await service(() => ({ type: 6 }))
    const { id } = discord.openDm()
    await rest(discord, 'POST', `/channels/${id}/messages`, { content: 'a', components: [row(button(1))] })
    await discord.click(url, discord.messages(id)[0]!, 'b1')
    const interaction = JSON.parse(received[0]!.body) as Json
    expect(interaction).toMatchObject({ user: { username: 'ada' }, context: 1 })
    expect(interaction.member).toBeUndefined()
  })

  test('that gets no answer for 3 s has failed, and its token is worthless', async () => {
    discord = endAfterTest(await startDiscord({ answerWithinMs: 3000 }))
    const { url } = await service(() => new Promise(() => {}))
    const answer = await discord.click(url, await card(), 'b1')
    expect(answer).toMatchObject({ status: 0, timedOut: true })
    expect(
      await rest(discord, 'POST', `/webhooks/${discord.applicationId}/${answer.token}`, { content: 'late' }, ''),
    ).toMatchObject({ status: 404, body: { code: 10015 } })
    expect(
      await rest(discord, 'POST', `/interactions/${answer.interactionId}/${answer.token}/callback`, { type: 6 }, ''),
    ).toMatchObject({ status: 404, body: { code: 10062 } })
  })

  test('answered with an update changes the message, and cannot be answered again', async () => {
    const { url } = await service(() => ({ type: 7, data: { components: [] } }))
    const answer = await discord.click(url, await card(), 'b1')
    expect(discord.messages()).toMatchObject([{ components: [], embeds: [{ title: 'Card' }] }])
    expect(
      await rest(discord, 'POST', `/interactions/${answer.interactionId}/${answer.token}/callback`, { type: 6 }, ''),
    ).toMatchObject({ status: 400, body: { code: 40060 } })
  })

  test('has follow-ups: private, edited, deleted', async () => {
    const { url } = await service(() => ({ type: 5, data: { flags: 64 } }))
    const { token } = await discord.click(url, await card(), 'b1')
    const hook = `/webhooks/${discord.applicationId}/${token}`
    expect((await rest(discord, 'POST', hook, { content: 'fills the placeholder' }, '')).status).toBe(200)
    expect((await rest(discord, 'POST', hook, { content: 'new', flags: 64 }, '')).status).toBe(200)
    expect((await rest(discord, 'PATCH', `${hook}/messages/@original`, { content: 'edited' }, '')).status).toBe(200)
    expect(discord.ephemeral().map(({ content }) => content)).toEqual(['edited', 'new'])
    expect((await rest(discord, 'DELETE', `${hook}/messages/@original`, undefined, '')).status).toBe(204)
    expect(discord.interactionResponses.map(({ kind }) => kind)).toEqual([
      'respond', 'create', 'create', 'edit', 'delete',
    ])
    expect(discord.messages()).toHaveLength(1)
  })
})

describe('a modal', () => {
  test.each<[string, Json, Json]>([
    ['a title of 1', { title: 'a' }, { title: '' }],
    ['5 components', { components: times(5, index => labelled(index)) }, {
      components: times(6, index => labelled(index)),
    }],
    ['a value of 4,000', { components: [labelled(0, { value: text(4000) })] }, {
      components: [labelled(0, { value: text(4001) })],
    }],
    ['different custom_ids', { components: [labelled(0), labelled(1)] }, { components: [labelled(0), labelled(0)] }],
    [
      'a select under a label', { components: [{ type: 18, label: 'a', component: select() }] },
      { components: [row(select())] },
    ],
  ])('with %s opens, one step further makes the click throw', async (_, accepted, refused) => {
    const { url } = await service(({ data }) => modal(data.custom_id === 'b1' ? accepted : refused))
    await post(discord, { content: 'a', components: [row(button(1), button(2))] })
    const message = discord.messages()[0]!
    expect((await discord.click(url, message, 'b1')).opened).toMatchObject({ message: { id: message.id } })
    await expect(discord.click(url, message, 'b2')).rejects.toThrow(/Discord would refuse this response .*50035/)
  })

  test('shows what it prefilled, and submits what was typed', async () => {
    const { url, received } = await service(({ type }) => type === 3
      ? modal({ components: [
          labelled(0, { value: 'old' }), inRow(1, { required: false }), { type: 10, content: 'A note' },
          { type: 18, label: 'Choice', component: select() },
        ] })
      : { type: 6 })
    const opened = (await discord.click(url, await card(), 'b1')).opened!
    expect(modalInputs(opened).map(({ label }) => label)).toEqual(['Field 0', 'Field 1', 'Choice'])
    expect(modalInput(opened, 'Field 1')).toMatchObject({ customId: 'f1', style: 2, required: false })
    expect(modalNotes(opened)).toEqual(['A note'])
    expect(modalValues(opened)).toEqual({ f0: 'old', f1: '', s: '' })
    expect(await discord.submitModal(url, opened, { f1: 'new\nline', s: ['v0'] })).toMatchObject({ status: 200 })
    const sent = JSON.parse(received[1]!.body)
    expect(sent).toMatchObject({ type: 5, message: { id: opened.message!.id }, data: { custom_id: 'edit', components: [
      { type: 18, component: { type: 4, custom_id: 'f0', value: 'old' } },
      { type: 1, components: [{ type: 4, custom_id: 'f1', value: 'new\nline' }] }, { type: 10 },
      { type: 18, component: { type: 3, custom_id: 's', values: ['v0'] } },
    ] } })
    await expect(async () => discord.submitModal(url, opened, { f0: '' })).rejects.toThrow('required')
    await expect(async () => discord.submitModal(url, opened, { nobody: 'a' })).rejects.toThrow('no input "nobody"')
  })

  test('cannot answer a modal; an update needs a message behind it', async () => {
    const { url } = await service(({ message }) => message ? modal() : { type: 7, data: { content: 'a' } })
    const opened = { modal: modal().data }
    await expect(
      discord.submitModal(url, { ...opened, message: await card() }, {}),
    ).rejects.toThrow('Type 9 does not answer an interaction of type 5')
    await expect(discord.submitModal(url, opened, {})).rejects.toThrow('Type 7 does not answer')
  })
})
