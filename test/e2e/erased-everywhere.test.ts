import { expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { click, deploy, introduce, openEdit, submit, submitEdit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { buttonOf, pickAndEdit } from '../support/discord/edit-form'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { holding } from '../support/redis-keys'
import type { Block, SlackMessage } from '../support/slack'
import { startTeams } from '../support/teams'
import { repointed } from '../support/preloaded'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const DAY_MS = 24 * 60 * 60 * 1000
const AGE_MS = 3000

/** Form with so many fields that Discord asks which one to edit */
const FORM = Object.fromEntries(Array.from({ length: 8 }, (_, index) => (
  [`unique-field-${index}`, `unique-value-${index}`]
)))

const discord = endAfterAll(await startDiscord())
const teams = endAfterAll(await startTeams())
const d = endAfterAll(await deploy({
  NODE_ENV: 'development', CARD_INTERVAL_MS: '0', ...discord.env, ...teams.env, ...repointed(teams.hosts),
}))
const store = endAfterAll(new RedisStore(await connectRedis(d.redis.url), storeRules))
await introduce(d)

/** Redis keys that contain anything of the form, or of text typed into its edit forms */
const traces = () => holding(d.redis.url, 'unique-')

/** Opens the edit form on every platform that has one. On Discord, also picks a field and types into it. */
async function openForms(id: string, card: SlackMessage): Promise<Block> {
  const onDiscord = await until('the Discord card', () => discord.cardOf(id))
  const url = `${d.server.url}/api/webhooks/discord`
  const { message } = await discord.click(url, onDiscord, buttonOf('edit', id))
  await pickAndEdit({ discord, url }, message!, 1, 'unique-edit')
  await teams.click(d.server.url, await until('the Teams card', () => teams.cardOf(id)), 'Edit & Forward')
  return openEdit(d, card, id)
}

interface Opened { id: string, card: SlackMessage, view: Block }

it.each<[string, (opened: Opened) => Promise<unknown>]>([
  ['forwarded', ({ id, card }) => click(d, card, 'forward', id)],
  ['edited and forwarded', ({ view }) => submitEdit(d, view, { f0: 'unique-edited' })],
  ['marked as spam', ({ id, card }) => click(d, card, 'spam', id)],
  ['erased on its page', ({ id }) => fetch(`${d.server.url}/api/submissions/${id}`, { method: 'DELETE' })],
  ['erased by what it says', () => postJson(`${d.server.url}/api/submissions/erase`, { text: 'unique-value-3' })],
])('of a form that is %s while people edit it nothing is left anywhere in Redis', async (_, end) => {
  const { id, card } = await submit(d, FORM)
  const view = await openForms(id, card)
  expect((await traces()).toSorted()).toEqual([`{triage}:d:${id}`, `{triage}:e:${id}`])
  await end({ id, card, view })
  await d.server.drain()
  expect(await traces()).toEqual([])
})

it('of a form that expires while people edit it nothing is left anywhere in Redis', async () => {
  const { id, card } = await submit(d, FORM)
  await d.server.drain()
  const stored = (await store.get(id))!
  const expiresAt = Date.now() + AGE_MS
  const old = { ...stored, version: stored.version + 1, receivedAt: expiresAt - 7 * DAY_MS, expiresAt, reminded: true }
  expect(await store.replace(stored, old)).not.toBeNull()
  await openForms(id, card)
  expect((await traces()).toSorted()).toEqual([`{triage}:d:${id}`, `{triage}:e:${id}`])
  await until('the end of it', async () => (await traces()).length === 0)
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
})
