import { expect, it } from 'vitest'
import { deploy } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { repointed } from '../support/repointed'
import { startServer } from '../support/server'
import { startTeams } from '../support/teams'

let messages = 1_700_000_000_000
const teams = endAfterAll(await startTeams())
const d = endAfterAll(await deploy())
await d.server.kill()
Object.assign(d.env, { ...teams.env, ...repointed(teams.hosts) })
d.server = await startServer(d.env)

/** Returns the answer to a user who mentions the bot. */
async function answerTo(text: string): Promise<string> {
  const before = teams.messages().length
  const id = String(++messages)
  const { TEAMS_APP_ID, TEAMS_CHANNEL_ID } = teams.env
  const { status } = await teams.send(d.server.url, {
    id, type: 'message', text, replyToId: undefined,
    conversation: { id: `${TEAMS_CHANNEL_ID};messageid=${id}`, conversationType: 'channel', isGroup: true },
    entities: [{
      type: 'mention', text: '<at>Form Triage</at>', mentioned: { id: `28:${TEAMS_APP_ID}`, name: 'Form Triage' },
    }],
  })
  expect(status).toBe(200)
  await d.server.drain()
  return JSON.stringify(teams.messages().slice(before))
}

it.each([
  ['before the words', '<at>Form Triage</at> status'], ['without a space', '<at>Form Triage</at>status'],
  ['behind them', 'status <at>Form Triage</at>'],
  ['in both places', '<at>Form Triage</at>&nbsp;status <at>Form Triage</at>'],
])('a command is understood whatever the app is called, with its name %s', async (_, text) => {
  const said = await answerTo(text)
  expect(said).toContain('Connected: ')
  expect(said).not.toContain('did not understand')
})

it.each([
  ['says for how long', { 'retry-after': '1' }], ['does not say for how long', undefined],
])('what is said while Teams takes no more, and %s, gets there when it may', async (_, headers) => {
  let refused = 0
  teams.fault = ({ method, path }) => method === 'POST' && path.includes('/activities') && refused++ < 2
    ? { status: 429, headers }
    : undefined
  expect(await answerTo('<at>Form Triage</at> status')).toContain('Connected: ')
  teams.fault = () => undefined
})
