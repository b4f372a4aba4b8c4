import { afterEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, emailsAbout, openEdit, submit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { buttonOf } from '../support/discord/edit-form'
import { startGoogleChat } from '../support/gchat'
import { endAfterAll } from '../support/lifetime'
import { startProxy } from '../support/proxy'
import { repointed } from '../support/repointed'
import { blockActions, interact, viewSubmission, type Block, type SlackMessage } from '../support/slack'
import { startTeams } from '../support/teams'
import { until } from '../support/until'
import { post } from '../support/webhook'

const discord = endAfterAll(await startDiscord())
const teams = endAfterAll(await startTeams())
const google = endAfterAll(await startGoogleChat())
const d = endAfterAll(await deploy({
  ...teams.env, ...google.env, ...repointed({ ...teams.hosts, ...google.hosts }),
  ...discord.env, CARD_INTERVAL_MS: '0',
  FORWARD_ENDPOINT: '', FORWARD_SIGNING_SECRET: '',
}))
afterEach(() => { d.resend.fault = () => undefined })

const claims = (id: string) => d.server.output().split('\n').filter(line => line.includes('"submission.claimed"')
  && line.includes(id))

/** Sends a form whose first forward will be refused permanently, which reopens it. */
async function refusedForm(): Promise<{ id: string, card: SlackMessage }> {
  d.resend.fault = ({ method }) => method === 'POST'
    ? { status: 403, body: '{"name":"invalid_api_key","message":"API key is invalid","statusCode":403}' }
    : undefined
  const sent = await submit(d, { name: 'Ada' })
  await d.server.drain()
  return sent
}

const reopened = (card: SlackMessage) => until('the card open again', async () => {
  const shown = await cardNow(d, card)
  return blockText(shown.blocks).includes('Email failed') && shown
})

/**
 * Sends a click whose forward is refused, which reopens the submission. Repeating it must do nothing, while a new click
 * decides.
 */
async function expectOnce(id: string, card: SlackMessage, send: () => Promise<Response>): Promise<void> {
  expect((await send()).status).toBe(200)
  const open = await reopened(card)
  d.resend.fault = () => undefined
  const [before] = [emailsAbout(d, id).length]
  for (let again = 0; again < 2; again++) expect((await send()).status).toBe(200)
  await d.server.drain()
  expect([claims(id).length, emailsAbout(d, id).length]).toEqual([1, before])
  await click(d, open, 'forward', id)
  expect([claims(id).length, emailsAbout(d, id).length]).toEqual([2, before + 1])
}

/** Records the request that a double sends for a click; returns a function that repeats it. */
async function recorded(path: string, act: (serverUrl: string) => Promise<unknown>): Promise<() => Promise<Response>> {
  const recorder = await startProxy(() => Response.json({ type: 6 }))
  await act(recorder.url)
  const {
    headers: { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers }, body,
  } = recorder.requests.at(-1)!
  await recorder.close()
  return () => fetch(`${d.server.url}${path}`, { method: 'POST', headers: headers as Record<string, string>, body })
}

describe('a request that is sent again after its forward failed decides nothing', () => {
  it('when it is a click on Slack', async () => {
    const { id, card } = await refusedForm()
    const payload = blockActions(card, 'forward', id, d.slack.reviewer)
    await expectOnce(id, card, () => interact(d.server.url, payload))
  })

  it('when it is an edit form of Slack', async () => {
    const { id, card } = await refusedForm()
    const payload: Block = viewSubmission(await openEdit(d, card, id), { f0: 'Grace' }, d.slack.reviewer)
    await expectOnce(id, card, () => interact(d.server.url, payload))
  })

  it.each<[string, (url: string, id: string) => Promise<unknown>]>([
    ['discord', (url, id) => discord.click(`${url}/`, discord.cardOf(id)!, buttonOf('forward', id))],
    ['teams', (url, id) => teams.click(url, teams.cardOf(id)!, 'Forward Submission')],
    ['gchat', (url, id) => google.click(url, google.cardOf(id)!, 'Forward Submission')],
  ])('when it is a click on %s', async (platform, press) => {
    const { id, card } = await refusedForm()
    await until('all cards', () => [discord, teams, google].every(double => double.cardOf(id)))
    await expectOnce(id, card, await recorded(`/api/webhooks/${platform}`, url => press(url, id)))
  })
})

it('an event of Discord\'s gateway that is handed over twice is answered once', async () => {
  const command = {
    id: '7', token: 'of-this-command', type: 2, data: { name: 'forms', options: [] }, guild_id: discord.guildId,
    channel_id: discord.channelId, member: { user: { id: '8', username: 'ada' } },
  }
  for (let times = 0; times < 2; times++) {
    const { status } = await post(`${d.server.url}/api/webhooks/discord`, {
      headers: { 'x-discord-gateway-token': discord.botToken, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'GATEWAY_INTERACTION_CREATE', timestamp: Date.now(), data: command }),
    })
    expect(status).toBe(200)
  }
  await d.server.drain()
  expect(discord.requests.filter(({ path }) => path.includes('/interactions/7/'))).toHaveLength(1)
})
