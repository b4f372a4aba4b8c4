import { afterAll, describe, expect, it } from 'vitest'
import type { Setup } from '../../shared/types/setup'
import type { StatusReport } from '../../shared/types/status'
import { adaptiveCardText } from '../support/adaptive-card'
import { blockText } from '../support/block-kit'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { cardOf, deploy, submitForm } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { repointed } from '../support/preloaded'
import { startServer } from '../support/server'
import { startTeams, type SignOptions } from '../support/teams'
import { install } from '../support/teams-installation'
import { until } from '../support/until'
import { visit } from '../support/visitor'

const PUMPS = '19:pumps@thread.tacv2'
const ENGINES = '19:engines@thread.tacv2'
const MALLORY = { channel: '19:mallory@thread.tacv2', team: '19:mallory-team@thread.tacv2' }
const HERE = 'Cards of forms arrive in this channel.'
const WAITS = 'Teams is waiting for its installation. Add the app to the channel of the cards; if it is there, remove it and add it again.'

const teams = endAfterAll(await startTeams())
const browser = endAfterAll(await startBrowser())
const d = endAfterAll(await deploy({
  ...teams.env, ...repointed(teams.hosts), TEAMS_CHANNEL_ID: '', TRUST_PROXY: '1',
  // No sweeps during the test: the installation posts its message to the channel before it starts the queues, but a
  // sweep could start them earlier.
  SWEEP_INTERVAL_MS: '3600000',
}))
let other = await startServer(d.env)
afterAll(() => other.kill())
const ada = visit(d.server)
await ada.signIn(d.env.OPS_PASSWORD!)

const send = (name: string, server = d.server) => submitForm(server, { name })

const cardOnTeams = (id: string) => until(`the card of ${id} on Teams`, () => teams.cardOf(id))
const isOn = async (channel: string, id: string) => expect((await cardOnTeams(id)).conversation).toBe(channel)
const saidIn = (channel: string) => (
  teams.messages().filter(({ conversation }) => conversation === channel).map(({ card }) => adaptiveCardText(card))
)
const status = async () => await (await ada.get('/api/status')).json() as StatusReport
const partOf = async () => (await status()).parts.find(({ key }) => key === 'teams')
const guides = async () => (await (await ada.get('/api/setup')).json() as Setup).platforms
const setup = async () => (await guides()).find(({ key }) => key === 'teams')
const onSlack = async () => (await d.slack.messages()).map(({ blocks }) => blockText(blocks)).join('\n')

type Where = Parameters<typeof install>[3]

async function add(where: Where, options?: SignOptions, server = d.server): Promise<number> {
  const { status } = await install(teams, server.url, 'add', where, options)
  await server.drain()
  return status
}

async function remove(where: Where, server = d.server): Promise<void> {
  await install(teams, server.url, 'remove', where)
  await server.drain()
}

describe('without a channel id, before the app is added to a team', () => {
  it('a start takes forms in, and shows them elsewhere', async () => {
    await cardOf(d, await send('elsewhere'))
    expect(teams.messages()).toEqual([])
    // At first, there may be other warnings: the service asks a slow vendor again.
    await until('the one warning', async () => {
      const { ready, warnings } = await (await fetch(`${d.server.url}/api/ready`)).json() as {
        ready: boolean
        warnings: string[]
      }
      return ready && warnings.join() === WAITS
    })
  })

  it('status and set-up say what it waits for', async () => {
    expect(await partOf()).toMatchObject({ state: 'waiting', waits: WAITS })
    expect(await setup()).toMatchObject({ required: ['TEAMS_APP_ID', 'TEAMS_APP_PASSWORD'], waits: WAITS })
    const { page, problems } = await openPage(browser)
    await ada.use(page)
    await page.goto(`${d.server.url}/status`)
    await page.getByTestId('part-teams').getByText('Waiting for installation', { exact: true }).waitFor()
    await page.getByTestId('verdict').getByText('Teams waits for an installation: no cards arrive there').waitFor()
    await screenshot(page, 'status-waiting')
    await page.goto(`${d.server.url}/setup`)
    await page.getByTestId('waits-teams').getByText(WAITS).waitFor()
    await screenshot(page.getByTestId('setup-teams'), 'setup-waiting')
    await page.close()
    expect(problems).toEqual([])
  })

  it.each<[string, Partial<Where>, SignOptions | undefined, number]>([
    ['another tenant', { tenant: 'b1c2d3e4-0000-4000-8000-00000000e711' }, undefined, 200],
    ['no tenant', { tenant: null }, undefined, 200],
    ['a group chat', { channel: '19:chat@thread.v2', team: null }, undefined, 200],
    ['what is no channel', { channel: 'a:1ada-and-the-bot' }, undefined, 200],
    ['a key that Microsoft does not publish', {}, { forged: true }, 401],
    ['the token of another service', {}, { claims: { serviceurl: 'https://evil.example/teams' } }, 401],
  ])('an installation with %s teaches nothing', async (_, where, options, answer) => {
    expect(await add({ channel: PUMPS, ...where }, options)).toBe(answer)
    expect(await partOf()).toMatchObject({ state: 'waiting' })
  })
})

describe('the app, added to a channel,', () => {
  it('says so there, and what came meanwhile gets its card there, in order', async () => {
    const ids = [await send('first'), await send('second'), await send('third')]
    expect(await add({ channel: PUMPS })).toBe(200)
    for (const id of ids) await isOn(PUMPS, id)
    const order = ids.map(id => teams.messages().findIndex(({ card }) => card === teams.cardOf(id)!.card))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(saidIn(PUMPS)[0]).toBe(HERE)
    expect(await partOf()).toMatchObject({ state: 'ok' })
    expect(await setup()).not.toHaveProperty('waits')
  })

  it('is known to another replica, also after a restart, and decided at', async () => {
    const id = await send('other', other)
    await isOn(PUMPS, id)
    await other.stop()
    other = await startServer(d.env)
    await teams.click(other.url, { ...await cardOnTeams(id), conversation: PUMPS }, 'Mark as Spam', {
      conversation: `${PUMPS};messageid=1`,
    })
    await until('the decision', () => saidIn(PUMPS).some(text => text.includes('Marked as spam by Ada Lovelace')))
    await isOn(PUMPS, await send('restarted', other))
  })

  it('stays where it is when somebody adds it elsewhere, who is told why', async () => {
    expect(await add(MALLORY)).toBe(200)
    expect(saidIn(MALLORY.channel)).toEqual([
      expect.stringContaining('Cards of forms go where this app was added first.'),
    ])
    await isOn(PUMPS, await send('unmoved'))
    await remove(MALLORY)
    await isOn(PUMPS, await send('still unmoved'))
  })

  it('moves with another channel of its team', async () => {
    expect(await add({ channel: ENGINES }, undefined, other)).toBe(200)
    await isOn(ENGINES, await send('moved'))
    await isOn(ENGINES, await send('moved', other))
  })

  it('that is removed closes the room, and the other rooms are told', async () => {
    await remove({ channel: ENGINES }, other)
    expect(await partOf()).toMatchObject({ state: 'waiting', waits: WAITS })
    await until('the word on Slack', async () => (await onSlack()).includes(
      'No cards reach Teams any more: The app was removed from its channel. Add it to one again. Until then its forms are decided elsewhere.',
    ))
    const id = await send('closed')
    await cardOf(d, id)
    expect(teams.cardOf(id)).toBeUndefined()
    expect(await add(MALLORY)).toBe(200)
    await isOn(MALLORY.channel, id)
  })
})

it('the variable wins over an installation', async () => {
  const fixed = endAfterTest(await deploy({ ...teams.env, ...repointed(teams.hosts) }))
  expect((await install(teams, fixed.server.url, 'add', { channel: PUMPS })).status).toBe(200)
  await fixed.server.drain()
  await isOn(teams.env.TEAMS_CHANNEL_ID!, await send('fixed', fixed.server))
})
