import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { submitForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { BOT_TOKEN, sendEvent, type Block } from '../support/slack'
import { envelope, nextTs } from '../support/slack-talk'
import { deployForWorkspaces, HOME, install, PARTNER } from '../support/slack-workspaces'

const FORMS_CONFIG = formsFile({
  home: { name: 'Ours' }, partner: { name: 'Theirs', channels: { slack: `${PARTNER}:C000000002` } },
})
const d = endAfterAll(await deployForWorkspaces({ FORMS_CONFIG, CARD_INTERVAL_MS: '0' }))
await install(d)
for (const form of ['home', 'partner']) await submitForm(d.server, { name: 'Grace' }, `/${form}`)
await d.server.drain()
const { fault, reviewer: { id } } = d.slack
// Emulate has one workspace. In ours, the same id is one of our users, and both users are in the partner's channel.
d.slack.fault = (request) => {
  const isOurs = request.headers.authorization === `Bearer ${BOT_TOKEN}`
  switch (request.path) {
    case '/api/conversations.members': return { status: 200, body: JSON.stringify({ ok: true, members: [id] }) }
    case '/api/users.info': {
      const user = { id, team_id: isOurs ? HOME : PARTNER, real_name: 'Ada' }
      return { status: 200, body: JSON.stringify({ ok: true, user }) }
    }
    default: return fault(request)
  }
}

/** Opens the App Home in a workspace; in both, a user with this id is in a form's room. */
async function homeIn(team: string): Promise<string> {
  const { reviewer, dmChannel: channel } = d.slack
  const opened = { type: 'app_home_opened', user: reviewer.id, channel, tab: 'home', ts: nextTs() }
  const { status } = await sendEvent(d.server.url, { ...envelope(opened), team_id: team })
  expect(status).toBe(200)
  await d.server.drain()
  const { view } = d.slack.calls('views.publish').at(-1)!
  return blockText((view as { blocks: Block[] }).blocks)
}

it.each([
  [HOME, 'Ours', 'Theirs'], [PARTNER, 'Theirs', 'Ours'],
])('the App Home in the workspace %s shows what waits there (%s), and nothing of the other, where the same id is somebody else', async (team, own, other) => {
  const home = await homeIn(team)
  expect(home).toContain(own)
  expect(home).not.toContain(other)
})
