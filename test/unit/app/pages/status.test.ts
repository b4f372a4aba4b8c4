import { describe, expect, test } from 'vitest'
import GatewayPanel from '../../../../app/components/status/gateway-panel.vue'
import StatusVerdict from '../../../../app/components/status/verdict.vue'
import SetupTest from '../../../../app/components/setup/test.vue'
import TestCard from '../../../../app/components/setup/test-card.vue'
import TestEmail from '../../../../app/components/setup/test-email.vue'
import { formatDuration, serviceTime, useOpsContext, useVisit } from '../../../../app/composables/ops/use-ops'
import { useStatus } from '../../../../app/composables/ops/use-status'
import { byId, dispatch, gate, mount, pass, press, shown, toasts, use } from '../../../support/app/mounted'
import { noAnswer, refusal, site } from '../../../support/app/nuxt'
import { page } from '../../../support/app/tree'
import { away } from '../../../support/app/service'

const part = (label: string, state: string, facts: object[] = [{ state }]) => (
  { key: label.toLowerCase(), label, state, facts }
)
const WELL = {
  now: 0, refusingSince: null, advice: [], incidents: [], gateways: [], clockAheadMs: 0, backlog: { stuck: 0 },
  parts: [part('Store', 'ok'), part('Slack', 'ok')],
}
const MINUTE = 60_000

describe('the verdict', () => {
  test.each<[string, object, RegExp]>([
    ['all is well', {}, /^Everything works\.$/],
    ['nobody has used parts yet', { parts: [part('Slack', 'unused'), part('Email', 'unused'), part('Endpoint', 'unused')] }, /^Nothing is failing\. Not used yet: Slack, Email, and Endpoint\.$/],
    ['one part fails', { parts: [part('Email', 'failing')] }, /^Email fails\. What is not given up is kept and tried again\.$/],
    ['two parts fail', { parts: [part('Email', 'failing'), part('Slack', 'failing')] }, /^Email and Slack fail\./],
    ['forms are refused', { refusingSince: 5, backlog: null, parts: [part('Store', 'failing'), part('Slack', 'unknown')] }, /^Forms are being refused because the store does not accept them, since .*\d+:\d\d.* \( \)\.$/],
    ['one needs a person', { backlog: { stuck: 1 } }, /^Refused or given up: 1 submission needs a person$/],
    ['more need a person', { backlog: { stuck: 2 } }, /: 2 submissions need a person$/],
    ['work is overdue', { now: 6 * MINUTE, backlog: { stuck: 0, overdueSince: 1 } }, /^Due work is not being done\. .* The oldest work was due .*\d+:\d\d/],
    ['work is due a moment ago', { now: 4 * MINUTE, backlog: { stuck: 0, overdueSince: 1 } }, /^Everything works\.$/],
    ['a vendor asks for a pause', { parts: [part('Email', 'limited', [{ state: 'limited', limitedUntil: 9 }])] }, /^The email provider limits the rate; the next email goes at /],
    ['an app is not installed', { parts: [part('Teams', 'waiting')] }, /^Teams waits for an installation: no cards/],
    ['there is advice', { advice: ['Redis throws submissions away.'] }, /^Redis throws submissions away\.$/],
    ['nobody listens', { gateways: [{ label: 'Discord', status: { connectedSince: null, refusal: 'Switch it on.' } }] }, /^Nobody listens to Discord: mentions and messages do not arrive\. Switch it on\.$/],
    ['nothing arrives', { gateways: [{ label: 'Slack', outgoing: 'socket', status: { connectedSince: null } }] }, /^Nobody listens to Slack: buttons and messages do not arrive\.$/],
    ['a clock is ahead', { clockAheadMs: 65_000 }, /^The clock of the machine that answered is 65 s ahead of the store's\./],
    ['a clock is behind', { clockAheadMs: -65_000 }, /is 65 s behind the store's\./],
    ['notes cannot be read', { parts: [part('Slack', 'unknown')], backlog: null }, /^The store works, but its notes about Slack and what waits cannot be read, so their state/],
    ['something happened', { incidents: [{ text: 'Wrong passwords.', lastAt: 5 }] }, /^Wrong passwords\. Last seen/],
  ])('when %s says so, and of nothing else that it works', async (_, changes, says) => {
    await mount(StatusVerdict, { report: { ...WELL, ...changes }, liveness: 'live', problem: null, heardAt: 0 })
    expect(shown()).toMatch(says)
    if (!String(says).includes('Everything')) expect(shown()).not.toMatch(/Everything works|Nothing fails(?!\. Not)/)
  })

  test('of an old report claims nothing, and says as of when it is', async () => {
    const props = { report: WELL, liveness: 'lost', problem: 'The server cannot be reached.', heardAt: 5 }
    await mount(StatusVerdict, props)
    expect(shown()).toMatch(/^The server cannot be reached\. The figures are from .*\d+:\d\d.* \( \)\.$/)
    expect(page.root.querySelectorAll('[aria-live=off] OpsRelativeTime')).toHaveLength(1)
  })

  test('without a report says that every part is asked', async () => {
    await mount(StatusVerdict, { report: null, liveness: 'connecting', problem: null, heardAt: 0 })
    expect(shown()).toBe('Checking every part …')
  })
})

test('the panel of a gateway names the setting that keeps it from listening, and of no scheduler then', async () => {
  const status = { connectedSince: null, refusal: 'Switch it on.', resumes: 0 }
  await mount(GatewayPanel, { platform: 'discord', label: 'Discord', status, now: 0 })
  expect(shown()).toContain('Switch it on. It is tried again every few minutes.')
  expect(shown()).not.toContain('scheduler')
})

test('the panel of a connection that brings the clicks too says so, and names no scheduler', async () => {
  const status = { connectedSince: null, refusal: null, resumes: 7 }
  await mount(GatewayPanel, { platform: 'slack', label: 'Slack', outgoing: 'socket', status, now: 0 })
  expect(shown()).toMatch(/Slack socket .*neither buttons nor messages arrive.* 7 reconnected/)
  expect(shown()).not.toMatch(/gateway|scheduler|new in/)
})

describe('the status', () => {
  const look = (state: 'hidden' | 'visible') => {
    Object.assign(document, { visibilityState: state })
    dispatch('visibilitychange')
  }

  test('is asked for every 2 s while somebody looks, is lost after 4 s, and not before it was asked', async () => {
    site.answer = () => ({ now: Date.now() })
    const { liveness, problem } = await use(useStatus)
    expect([liveness.value, site.asked.length]).toEqual(['live', 1])
    await pass(2000)
    expect(site.asked).toHaveLength(2)
    look('hidden')
    await pass(10_000)
    expect([site.asked.length, liveness.value]).toEqual([2, 'live'])
    const answer = gate<object>()
    site.answer = () => answer.promise
    look('visible')
    await pass()
    expect([site.asked.length, liveness.value]).toEqual([3, 'connecting'])
    await pass(6000)
    expect(liveness.value).toBe('lost')
    answer.resolve({})
    await pass()
    expect([liveness.value, problem.value]).toEqual(['live', null])
    expect(site.asked.every(({ timeout }) => timeout === 2500)).toBe(true)
  })

  test('says in words that the server cannot be reached', async () => {
    site.answer = noAnswer
    const { problem } = await use(useStatus)
    expect(problem.value).toBe('The server cannot be reached.')
  })
})

test.each([
  [0, '0 s'], [45_000, '45 s'], [12 * MINUTE, '12 min'], [200 * MINUTE, '3 h 20 min'], [10_020 * MINUTE, '6 d 23 h'],
  [-5, '0 s'],
])('%i ms are %s', (ms, says) => expect(formatDuration(ms)).toBe(says))

test.each([[-3_600_000, -3_600_000], [3_600_000, 3_600_000], [20_000, 0]])(
  'where the clock of a browser is %i ms off, times go by that of the service', async (off, corrected) => {
    site.answer = () => ({ now: Date.now() - off })
    await use(useStatus)
    expect(Date.now() - serviceTime()).toBe(corrected)
  },
)

test('what this deployment offers is asked for until it is known, once for all', async () => {
  const answer = gate<undefined>()
  site.answer = () => answer.promise.then(away)
  const contexts = [await use(() => ({ context: useOpsContext() })), await use(() => ({ context: useOpsContext() }))]
  expect(site.asked).toHaveLength(1)
  answer.resolve(undefined)
  await pass()
  site.answer = () => ({ sandbox: true })
  await pass(3000)
  expect(contexts.map(({ context }) => context.value)).toEqual([{ sandbox: true }, { sandbox: true }])
})

describe('a file of the server', () => {
  test('is opened only once the session and the store answer; else that is told, and the page stays', async () => {
    site.answer = ({ path }) => path.includes('limit') ? away() : { viewer: {} }
    const { visit } = await use(() => ({ visit: useVisit() }))
    await visit('/api/exports/audit.csv')
    expect([toasts(), site.visited]).toEqual([['That did not work: The store does not answer.'], []])
    site.answer = () => ({ viewer: {} })
    await visit('/api/exports/audit.csv')
    expect(site.visited).toEqual(['/api/exports/audit.csv'])
  })
})

describe('a test of the set-up', () => {
  const PARTS = { SetupTest }
  const result = (name: string) => {
    const { title, description, color } = byId(`${name}-result`)?.props ?? {}
    return [color, title, description]
  }

  test.each<[object[], string[]]>([
    [[{ reason: null, forms: [] }], ['success', 'Posted to Slack', 'Press its button: an answer below the card shows that clicks arrive here.']],
    [[{ reason: 'Invite the bot.', forms: [] }], ['error', 'It was not posted', 'Invite the bot.']],
    [[{ reason: null, forms: [] }, { reason: 'Invite the bot.', forms: [null, 'Jobs'] }], ['warning', 'Posted to 1 of 2 rooms of Slack', 'Default form, Jobs: Invite the bot. Press its button: an answer below the card shows that clicks arrive here.']],
  ])('card: %j', async (rooms, says) => {
    await mount(TestCard, { platform: 'slack', label: 'Slack' }, PARTS)
    site.answer = () => ({ rooms })
    await press('test-card-slack')
    expect(result('test-card-slack')).toEqual(says)
  })

  test('email says where it went, waits a minute for its receipt, and why it was refused', async () => {
    await mount(TestEmail, {}, PARTS)
    site.answer = () => ({ to: 'a@example.com', messageId: null })
    await press('test-email')
    expect(result('test-email').slice(0, 2)).toEqual(['success', 'Sent to a@example.com'])
    const receipts: object[] = [refusal(503), { arrived: false }, { returned: true, text: 'No such mailbox.' }]
    site.answer = ({ method }) => method === 'POST' ? { to: 'a@example.com', messageId: 'm1' } : receipts.shift()
    await press('test-email')
    expect(result('test-email')).toEqual(['neutral', 'Sent to a@example.com', 'Waiting for its receipt…'])
    await pass(2000)
    expect(result('test-email').slice(0, 2)).toEqual(['error', 'a@example.com: No such mailbox.'])
    site.answer = ({ method }) => method === 'POST' ? { to: 'a@example.com', messageId: 'm1' } : {}
    await press('test-email')
    await pass(61_000)
    expect(result('test-email')[1]).toBe('Sent to a@example.com, but no receipt came within a minute')
    site.answer = () => refusal(502, { error: 'Resend refused it.' })
    await press('test-email')
    expect(result('test-email')).toEqual(['error', 'It was not sent', 'Resend refused it.'])
  })
})
