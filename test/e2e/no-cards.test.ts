import { expect, it } from 'vitest'
import type { Setup } from '../../shared/types/setup'
import type { StatusReport } from '../../shared/types/status'
import { submitForm } from '../support/deployment'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { startServer } from '../support/server'
import { CHANNEL } from '../support/slack'
import { mention } from '../support/slack-talk'
import { until } from '../support/until'

const CHANNELS = Object.values(PLATFORMS).flatMap(
  ({ channel: { variable, instead } }) => [variable!, instead ?? []].flat(),
)

/** Environment in which only this platform has a channel */
const cardsOn = (key: string) => Object.fromEntries(CHANNELS.filter(
  name => name !== PLATFORMS[key]!.channel.variable,
).map(name => [name, '']))

const d = await deployEverywhere()
const env = { ...d.env }

/** Restarts the server with cards on one platform only. */
async function restart(key: string) {
  await d.server.kill()
  d.server = await startServer({ ...env, ...cardsOn(key) })
}

async function asked<T>(path: string): Promise<T> {
  const viewer = await d.signedIn()
  return await (await viewer.get(path)).json() as T
}

it('platforms without a channel have no cards and are no trouble, and people talk with the bot there', async () => {
  await restart('slack')
  const { discord, telegram, teams, google, whatsapp } = d.doubles
  const id = await submitForm(d.server, { name: 'Ada' })
  await until('the card on Slack', async () => (await d.slack.messages()).some(({ blocks }) => (
    JSON.stringify(blocks).includes(id)
  )))
  await d.server.drain()
  expect([discord, telegram, teams, google, whatsapp].map(double => double.messages().length)).toEqual([0, 0, 0, 0, 0])
  expect(await (await fetch(`${d.server.url}/api/ready`)).json()).toEqual({ ready: true, reasons: [], warnings: [] })
  const { parts, backlog } = await asked<StatusReport>('/api/status')
  expect(parts.filter(({ state }) => state === 'failing' || state === 'waiting')).toEqual([])
  expect(backlog?.stuck).toBe(0)
  const { platforms } = await asked<Setup>('/api/setup')
  expect(platforms.map(({ key, noCards }) => [key, noCards !== undefined])).toEqual(
    Object.keys(PLATFORMS).map(key => [key, key !== 'slack']),
  )
  await until('the listener', () => discord.gateway.live() === 1)
  const { id: thread } = discord.emitMessage({ content: `<@${discord.applicationId}> hi` })
  await until('the answer on Discord', () => discord.messages(thread).some(({ author }) => (
    author.id === discord.applicationId
  )))
})

it('Slack without a channel answers there, with the cards on Discord', async () => {
  await restart('discord')
  const { discord } = d.doubles
  const before = (await d.slack.messages()).length
  await submitForm(d.server, { name: 'Grace' })
  await until('the card on Discord', () => discord.messages().some(({ embeds }) => embeds.length > 0))
  await d.server.drain()
  expect(await d.slack.messages()).toHaveLength(before)
  await mention(d.server.url, d.slack, 'hi')
  await until('the answer on Slack', async () => d.slack.calls('chat.postMessage').some(
    ({ channel, thread_ts: thread }) => channel === CHANNEL && thread !== undefined,
  ))
})
