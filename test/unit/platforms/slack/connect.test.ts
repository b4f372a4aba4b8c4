import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SlackConnect } from '../../../../server/platforms/slack/connect'

/** Workspace of the bot that sends requests to Slack */
let scope: string
let requests: string[]
/** Slack's answers to this bot */
let answers: Record<string, Record<string, unknown> | null>
let slackConnect: SlackConnect
beforeEach(() => {
  scope = 'T1:'
  requests = []
  answers = {}
  slackConnect = new SlackConnect(async (method, query) => {
    requests.push(`${scope}${method}?${String(query as URLSearchParams)}`)
    const value = answers[scope]
    return value ? { ok: true, value } : { ok: false, permanent: false, reason: 'Slack: no connection.' }
  }, () => scope)
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => { vi.useRealTimers() })

test('whoever has one id in two workspaces is asked for in each', async () => {
  answers = { 'T1:': { user: { team_id: 'T1' } }, 'T2:': { user: { team_id: 'T2' } } }
  expect(await slackConnect.teamOf('U9')).toBe('T1')
  scope = 'T2:'
  expect(await slackConnect.teamOf('U9')).toBe('T2')
  expect(requests).toEqual(['T1:users.info?user=U9', 'T2:users.info?user=U9'])
})

test('of which workspace somebody is, is asked again after 10 minutes, and at once where Slack did not say', async () => {
  expect([await slackConnect.teamOf('U9'), await slackConnect.teamOf('U9')]).toEqual([undefined, undefined])
  expect(requests).toHaveLength(2)
  answers = { 'T1:': { user: { team_id: 'T1' } } }
  await slackConnect.teamOf('U9')
  vi.setSystemTime(Date.now() + 9 * 60_000)
  expect(await slackConnect.teamOf('U9')).toBe('T1')
  expect(requests).toHaveLength(3)
  vi.setSystemTime(Date.now() + 60_000)
  answers = { 'T1:': { user: { team_id: 'T2' } } }
  expect(await slackConnect.teamOf('U9')).toBe('T2')
})

test.each([
  ['with the workspaces that it names', { is_ext_shared: true, connected_team_ids: ['T2'] }, true],
  ['with its own, as the other side names it', { is_ext_shared: true, shared_team_ids: ['T2', 'T1'] }, true],
  ['with nobody else', { is_ext_shared: true, connected_team_ids: ['T3'] }, false],
  ['with nobody once it is shared no more', { is_ext_shared: false, connected_team_ids: ['T2'] }, false],
  ['with nobody where Slack does not say that it is', { connected_team_ids: ['T2'], is_shared: true }, false],
])('a channel is shared %s', async (_, channel, isShared) => {
  answers = { 'T1:': { channel } }
  expect(await slackConnect.isShared('C1', 'T2')).toBe(isShared)
})
