import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { blockKitProblems, blockText } from '../support/block-kit'
import { cardOf, openEdit, submitEdit } from '../support/deployment'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { blockActions, command, interact, sendEvent, type Block, type SlackUser } from '../support/slack'
import { envelope, nextTs } from '../support/slack-talk'
import { answerTo } from '../support/unlisted'
import { until } from '../support/until'

const d = await deployEverywhere((ada, slack) => ({
  forms: {
    open: { name: 'Open', reviewers: ada },
    own: { name: 'Own', reviewers: [...ada, 'ops:grace hopper'], claim: 'exclusive' },
  },
  env: {
    TAKE: '1', REVIEWERS: `slack:${slack.colleague.id},ops:grace hopper`,
    PEOPLE: `grace = slack:${slack.colleague.id}, ops:Grace Hopper`,
  },
}))

const ALL = Object.keys(PLATFORMS)
const holderOf = async (id: string) => (await d.shown(id)).holder

it.each(ALL)('takes on %s by a button, and hands back by the one in its place', async (platform) => {
  const id = await d.send('/open')
  await d.on(platform).click(id, 'take')
  await until('the holder', async () => JSON.stringify(await holderOf(id)).includes(PLATFORMS[platform]!.label))
  await d.server.drain()
  expect(blockText((await cardOf(d, id)).blocks)).toMatch(/ has it \(.*, \d\d:\d\d UTC\)/)
  // WhatsApp cards cannot be edited, so the button stays the same.
  if (platform === 'whatsapp') return
  await d.on(platform).click(id, 'hand_back')
  await until('nobody', async () => await holderOf(id) === null)
  await d.server.drain()
  expect(blockText((await cardOf(d, id)).blocks)).not.toContain(' has it ')
})

it.each([
  ['slack', 'discord', /^\d\d:\d\d UTC$/], ['discord', 'slack', /^<t:\d+:t>$/],
  ['telegram', 'slack', /^\d\d:\d\d UTC$/],
])('on %s decides what somebody on %s has after a private word', async (platform, other, clock) => {
  const id = await d.send('/open')
  await d.on(other).click(id, 'take')
  await until('the holder', async () => await holderOf(id) !== null)
  await d.server.drain()
  const word = await answerTo(d.on(platform), () => d.on(platform).click(id, 'forward'))
  const [, since] = / has had it since (.*)\. Press the button again to decide anyway\.$/.exec(word) ?? []
  expect(since).toMatch(clock)
  expect(d.emailsAbout(id)).toEqual([])
  await until('the decision', async () => {
    await d.on(platform).click(id, 'forward')
    await d.server.drain()
    return d.emailsAbout(id).length > 0
  })
})

it.each(['slack', 'discord', 'telegram'])('takes on %s by a command, where a reviewer may', async (platform) => {
  const [id, { server, slack, doubles: { discord, telegram } }] = [await d.send('/open'), d]
  const words = `take ${id.slice(0, 8)}`
  const ask: Record<string, () => Promise<unknown>> = {
    slack: () => command(server.url, slack, words),
    discord: () => discord.command(`${server.url}/api/webhooks/discord`, `/forms ${words}`),
    telegram: () => telegram.writeInGroup(server.url, `/${words}`),
  }
  if (platform === 'slack') {
    const refused = await command(server.url, slack, words, { user: slack.colleague })
    expect([blockText(refused.blocks as Block[]), await holderOf(id)]).toEqual([expect.stringMatching(/^Only /), null])
  }
  await ask[platform]!()
  await until('the holder', async () => JSON.stringify(await holderOf(id)).includes(PLATFORMS[platform]!.label))
  await d.server.drain()
})

it.each(['slack', 'discord', 'telegram'])('assigns on %s by a command, as the help there says', async (platform) => {
  const [id, { server, slack, doubles: { discord, telegram } }] = [await d.send('/open'), d]
  const ask: Record<string, (words: string) => Promise<string>> = {
    slack: async words => blockText((await command(server.url, slack, words)).blocks as Block[]),
    discord: async words => JSON.stringify(
      (await discord.command(`${server.url}/api/webhooks/discord`, `/forms ${words}`)).message,
    ),
    telegram: async (words) => {
      await telegram.writeInGroup(server.url, `/${words}`)
      await server.drain()
      return telegram.messages().at(-1)!.text
    },
  }
  expect(await ask[platform]!('help')).toMatch(/assign .{0,2}<id.{0,2}> @somebody/)
  const whom: Record<string, string> = { slack: `<@${slack.reviewer.id}>`, discord: discord.user.id, telegram: 'me' }
  expect(await ask[platform]!(`assign ${id.slice(0, 8)} ${whom[platform]}`)).toContain('has it now.')
  expect(JSON.stringify(await holderOf(id))).toContain(PLATFORMS[platform]!.label)
})

describe('Slack\'s App Home', () => {
  /** Returns a user's App Home after an action there. */
  const homeAfter = async ({ id }: SlackUser, act: () => Promise<Response>) => {
    expect((await act()).status).toBe(200)
    await d.server.drain()
    const { view } = d.slack.calls('views.publish').findLast(({ user_id: of }) => of === id)!
    expect(blockKitProblems({ text: 'Home', blocks: view.blocks } as never)).toEqual([])
    return view as { type: string, blocks: Block[] }
  }
  const open = (user: SlackUser) => homeAfter(user, () => sendEvent(d.server.url, envelope({
    type: 'app_home_opened', user: user.id, channel: d.slack.dmChannel, tab: 'home', ts: nextTs(),
  })))
  const press = (user: SlackUser, { action_id, value }: Block) => homeAfter(user, () => interact(d.server.url, {
    type: 'block_actions', user, team: { id: 'T000000001' }, api_app_id: 'A000000001', trigger_id: randomUUID(),
    container: { type: 'view', view_id: 'V1' }, actions: [{ type: 'button', action_id, value, block_id: 'b' }],
  }))
  const buttonsOf = ({ blocks }: { blocks: Block[] }) => (
    blocks.flatMap(({ accessory }) => accessory ? [accessory as Block] : [])
  )

  it('is the queue of one reviewer: what they have and what nobody has, taken and handed back there', async () => {
    const [id, hidden] = [await d.send('/open', { name: 'Ada\'s' }), await d.send('', { name: 'Not for Ada' })]
    const home = await open(d.slack.reviewer)
    expect([home.type, blockText(home.blocks)]).toEqual(
      ['home', expect.stringMatching(/waits?: .*\d+ (?:is|are) free/)],
    )
    expect(JSON.stringify(home)).not.toContain(hidden)
    const take = buttonsOf(home).find(({ action_id: action }) => action === 'queue_take')!
    const taken = await press(d.slack.reviewer, take)
    expect(await holderOf(String(take.value))).toMatchObject({ platform: 'Slack' })
    const back = buttonsOf(taken).find(({ action_id: action, value }) => (
      action === 'queue_hand_back' && value === take.value
    ))!
    await press(d.slack.reviewer, back)
    expect([await holderOf(String(take.value)), id.length]).toEqual([null, 36])
  })

  it('shows no form to who decides none, and takes nothing for them', async () => {
    const id = await d.send('/open', { name: 'Confidential' })
    const stranger = { ...d.slack.reviewer, id: 'U000000001', name: 'admin', username: 'admin' }
    const closed = 'Forms are shown here to people who may decide them: the reviewers or, without a list, everybody in the channel of the cards.'
    expect(blockText((await open(stranger)).blocks)).toBe(closed)
    await press(stranger, { action_id: 'queue_take', value: id })
    expect(await holderOf(id)).toBeNull()
  })
})

it('hands back at the ops page what they took in chat, wherever PEOPLE says it is them, and nobody else does', async () => {
  const id = await d.send()
  const take = blockActions(await cardOf(d, id), 'take', id, d.slack.colleague)
  expect((await interact(d.server.url, take)).status).toBe(200)
  await until('the holder', async () => await holderOf(id) !== null)
  const grace = await d.signedIn()
  const path = `/api/submissions/${id}/holder`
  const mine = async () => (await (await grace.get('/api/submissions?holder=mine')).json() as { rows: object[] }).rows
  expect(await mine()).toMatchObject([{ id, holder: { platform: 'Slack' } }])
  expect((await (await d.signedIn('Ada Lovelace')).delete(path)).status).toBe(403)
  expect([(await grace.delete(path)).status, await holderOf(id), await mine()]).toEqual([200, null, []])
  expect([(await grace.post(path, {})).status, await holderOf(id)]).toMatchObject([200, { platform: 'Ops page' }])
})

it('by a form that was open before somebody took it is told so in it, keeps what was typed, and sends it all the same', async () => {
  const id = await d.send('/open')
  const view = await openEdit(d, await cardOf(d, id), id)
  await d.on('discord').click(id, 'take')
  await until('the holder', async () => await holderOf(id) !== null)
  const submit = () => submitEdit(d, view, { f0: 'Grace' })
  expect(await submit()).toMatchObject({ response_action: 'errors', errors: {
    f0: expect.stringMatching(/ has had it since .* Press the button again to decide anyway\.$/) as string,
  } })
  expect(d.emailsAbout(id)).toEqual([])
  await submit()
  await until('the email', () => d.emailsAbout(id).length > 0)
})

it('finds exclusive what another one has: nobody else decides, takes or hands back', async () => {
  const id = await d.send('/own')
  await d.on('slack').click(id, 'take')
  await until('the holder', async () => await holderOf(id) !== null)
  const grace = await d.signedIn()
  const tried = [
    await grace.post(`/api/submissions/${id}/decision`, { action: 'spam' }),
    await grace.post(`/api/submissions/${id}/decision`, { action: 'spam' }),
    await grace.post(`/api/submissions/${id}/holder`, {}), await grace.delete(`/api/submissions/${id}/holder`),
  ]
  for (const answer of tried) {
    const error = expect.stringMatching(/ has had it since /) as string
    expect([answer.status, await answer.json()]).toMatchObject([423, { code: 'TAKEN', error }])
  }
  await d.on('slack').click(id, 'spam')
  await until('the decision', async () => (await grace.get(`/api/submissions/${id}`)).status === 410)
})
