import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { submitForm, type Deployment } from '../support/deployment'
import { BOT_TOKEN, sendEvent, type Block } from '../support/slack'
import { envelope, nextTs } from '../support/slack-talk'
import { deployForWorkspaces, HOME, install, PARTNER } from '../support/slack-workspaces'

const dir = mkdtempSync(join(tmpdir(), 'app-home-'))
let d: Deployment
beforeAll(async () => {
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify({
    home: { name: 'Ours' }, partner: { name: 'Theirs', channels: { slack: `${PARTNER}:C000000002` } },
  }))
  d = await deployForWorkspaces({ FORMS_CONFIG: path, CARD_INTERVAL_MS: '0' })
  await install(d)
  for (const form of ['home', 'partner']) await submitForm(d.server, { name: 'Grace' }, `/${form}`)
  await d.server.drain()
  const { fault, reviewer: { id } } = d.slack
  // Emulate has one workspace: in ours, the same id is somebody of ours, and both are in the channel of theirs.
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
})
afterAll(async () => {
  await d.close()
  rmSync(dir, { recursive: true })
})

/** The App Home that somebody opens in a workspace; in both, the same id is in the room of a form. */
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
