import { createClient } from 'redis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { screenshot } from '../support/browser'
import { cardNow, click, sendForm, submit } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { startServer } from '../support/server'
import { seed, waiting } from '../support/seed'
import { shiftedClock } from '../support/preloaded'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD } from '../support/visitor'

const METRICS_TOKEN = 'metrics-token-of-32-characters-00'
const d = endAfterAll(await deployPages({
  ...WITH_PASSWORD, NODE_ENV: 'production', METRICS_TOKEN, TRUST_PROXY: '1',
  // Short lease: a form refused during the freeze may still be stored, and blocks the queue until its lease ends.
  LEASE_MS: '1500',
}))
const ada = visit(d.server)
expect((await ada.signIn(PASSWORD)).status).toBe(200)
afterEach(() => { d.resend.fault = d.slack.fault = () => undefined })
usePages()
beforeEach(async () => {
  await ada.use(page)
  await page.goto(`${d.server.url}/status`)
  await page.getByTestId('part-store').waitFor()
})

const REFUSED = { status: 422, body: '{"statusCode":422,"name":"validation_error","message":"x"}' }
const stateOf = (part: string) => page.getByTestId(`part-${part}`).getAttribute('data-state')

test('the status follows a part from its first use to its failure, what needs a person, and its recovery', async () => {
  const verdict = page.getByTestId('verdict')
  await verdict.getByText('Nothing is failing. Not used yet: Slack, Email, and Endpoint.').waitFor()
  expect(await Promise.all(['email', 'endpoint', 'slack'].map(stateOf))).toEqual(['unused', 'unused', 'unused'])
  expect(await page.getByTestId('part-slack').textContent()).toMatch(/Credentials: last success/)
  // The label of the chart's first hour has the same format as all other times.
  expect(await page.locator('figure').innerText()).toMatch(/^(?:\w{3} \d+, )?\d\d:00\s[AP]M\s+now/)
  await pictures(page, 'status-unused')

  const { id, card } = await submit(d, { name: 'Grace' })
  d.resend.fault = ({ path }) => path === '/emails' ? { status: 500, body: '{}' } : undefined
  await click(d, card, 'forward', id)
  await page.getByTestId('part-email').getByText('Resend answered 500.').waitFor()
  await verdict.getByText('Email fails. What is not given up is kept and tried again.').waitFor()
  d.resend.fault = () => undefined
  await until('the email', async () => (await d.resend.emails()).some(({ html }) => html.includes(id)))
  await page.getByText('Everything works.').waitFor()

  d.resend.fault = () => REFUSED
  const given = await submit(d, { name: 'Given Up' })
  await click(d, given.card, 'forward', given.id)
  const link = verdict.getByRole('link', { name: '1 submission needs a person' })
  await link.waitFor()
  expect(await page.getByTestId('stuck-list').getByRole('link').textContent()).toMatch(RegExp(`Email: *Resend refused`))
  await pictures(page, 'status-needs-person')
  await link.click()
  await page.getByTestId('row').filter({ hasText: 'Given Up' }).getByTestId('state').getByText('Failed').waitFor()
  d.resend.fault = () => undefined
  await click(d, await cardNow(d, given.card), 'forward', given.id)
  await page.getByTestId('no-match').waitFor()
  await page.goto(`${d.server.url}/status`)
  await page.getByText('Everything works.').waitFor()
})

test('the status says since when forms are refused, by how much a clock is off, and of the rest that it is not known', async () => {
  await submit(d, { name: 'Ada' })
  d.redis.pause()
  await page.getByTestId('verdict').getByText(/Forms are being refused because .* since .*\d+:\d\d.* \(.*\)\./).waitFor()
  // At first, the answer may contain states of some parts from before the outage.
  await page.getByText('Unknown while the store is away').nth(2).waitFor()
  await until('the parts', async () => await stateOf('slack') === 'unknown')
  expect((await sendForm(d.server, { name: 'Refused' })).status).toBe(503)
  const text = await page.locator('main').textContent()
  expect(text).not.toMatch(/never|tried again|Not used yet|Everything works/)
  expect(await page.getByTestId(/^(pending|stuck|overdue|count-received)$/).count()).toBe(0)
  await pictures(page, 'status-store-away')
  d.redis.resume()
  await page.getByTestId('verdict').filter({ hasNotText: 'refused' }).waitFor()

  const shifted = endAfterTest(await startServer({ ...d.env, ...shiftedClock(65_000) }))
  await page.goto(`${shifted.url}/status`)
  await page.getByTestId('verdict').getByText(/machine that answered is 6[4-9] s ahead of the store's/).waitFor()
  // Leave the page first: it may still be loading scripts in the background.
  await page.goto('about:blank')
  const other = endAfterTest(await startServer({ ...d.env, STORE_URL: 'redis://127.0.0.1:9' }))
  const cookie = [...ada.cookies].map(pair => pair.join('=')).join('; ')
  const answer = await fetch(`${other.url}/api/status`, { headers: { cookie } })
  expect(await answer.json()).toMatchObject({
    refusingSince: expect.any(Number), backlog: null, tally: null, audit: null,
    parts: [{ key: 'store', state: 'failing' }, { state: 'unknown' }, { state: 'unknown' }, { state: 'unknown' }],
  })
})

test('the status counts what came in and how it ended, lists who decided, and hands out the audit trail to who signed in', async () => {
  const { id, card } = await submit(d, { name: '=1+1', note: 'Spam & <b>co</b>' })
  const csv = await ada.get('/api/exports/submissions.csv')
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="submissions.csv"')
  expect(await csv.text()).toMatch(new RegExp(`"${id}","open",.*"'=1\\+1"`))
  await click(d, card, 'spam', id)
  await page.getByTestId('audit').getByText(id).waitFor()
  expect(await page.getByTestId('audit').getByRole('listitem').first().textContent()).toMatch(
    /Marked as spam.*Ada Lovelace on Slack/,
  )
  await page.getByTestId('count-spam').filter({ hasText: /^\s*1\s*$/ }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByText('Audit trail').click()
  expect((await download).suggestedFilename()).toBe('audit.csv')
  expect((await ada.get('/api/exports/passwords.csv')).status).toBe(404)
  expect((await fetch(`${d.server.url}/api/exports/submissions.csv`)).status).toBe(401)
  const linus = await submit(d, { name: 'Linus' })
  expect((await ada.post(`/api/submissions/${linus.id}/decision`, { action: 'forward' })).status).toBe(200)
  await d.server.drain()
  expect(blockText((await cardNow(d, linus.card)).blocks)).toContain('Forwarded by Ada Lovelace on Ops page')
})

test('work that nobody does is told of by status and metrics, until the scheduler comes', async () => {
  const serverless = { ...d.env, VERCEL: '1', CRON_SECRET: 'a-secret-of-some-length' }
  const other = endAfterTest(await startServer(serverless))
  const dueAt = Date.now() - 6 * 60_000
  // Stop the usual server: its sweep would do the work.
  await page.goto('about:blank')
  await d.server.stop()
  await seed(d.redis.url, [waiting({
    receivedAt: dueAt, cards: [], work: [{ key: 'post:slack', kind: 'post', room: 'slack', attempts: 0, dueAt }],
  })])
  const read = async (path: string, token: string) => (
    await fetch(other.url + path, { headers: { authorization: `Bearer ${token}` } })
  ).text()
  const overdueSeconds = async () => (
    Number(/^triage_oldest_overdue_seconds (.+)$/m.exec(await read('/api/metrics', METRICS_TOKEN))?.[1])
  )
  await page.goto(`${other.url}/status`)
  await page.getByTestId('verdict').getByText(/Due work is not being done\. .* was due .*\d+:\d\d.* \(.*6.*\)\./).waitFor()
  expect(await overdueSeconds()).toBeGreaterThanOrEqual(6 * 60)
  expect(JSON.parse(await read('/api/cron/sweep', serverless.CRON_SECRET))).toEqual({ taken: 1 })
  expect(await overdueSeconds()).toBe(0)
  const client = await createClient({ url: d.redis.url }).connect()
  await client.del('{triage}:health')
  await client.set('{triage}:health', 'spoilt')
  await page.getByTestId('verdict').getByText(/its notes about Slack, .* cannot be read, so/).waitFor()
  await client.del('{triage}:health')
  await client.close()
  await page.goto('about:blank')
  d.server = Object.assign(await startServer({ ...d.env, PORT: new URL(d.server.url).port }), { url: d.server.url })
})

test('shows which variables are set and never what they are', async () => {
  await page.getByText(/^Slack — /).click()
  const check = page.getByTestId('config-check')
  await check.getByText('CHAT_BOT_TOKEN').waitFor()
  for (const secret of ['xoxb-local-test', 'test-signing-secret', 're_test_key', 'secret-in-url', PASSWORD]) {
    expect(await page.content()).not.toContain(secret)
  }
  expect(await check.getByRole('listitem').filter({ hasText: 'CHAT_BOT_TOKEN' }).textContent()).toContain('is set')
  await page.getByText(/^Discord — /).click()
  expect(
    await check.getByRole('listitem').filter({ hasText: 'PLATFORM2_BOT_TOKEN' }).textContent(),
  ).toContain('is not set')
})

test('the set-up page hands out the manifest of this deployment, ready to create the app from', async () => {
  await page.goto(`${d.server.url}/setup`)
  const slack = page.getByTestId('setup-slack')
  await slack.getByText('Configured').waitFor()
  const manifest = JSON.parse(await slack.getByLabel('slack-manifest.json', { exact: true }).textContent() ?? '') as {
    settings: { interactivity: { request_url: string } }
  }
  expect(manifest.settings.interactivity.request_url).toBe('https://forms.example.com/api/webhooks/slack')
  const link = new URL(await slack.getByRole('link', { name: 'Create the Slack app' }).getAttribute('href') ?? '')
  expect([
    link.origin, JSON.parse(link.searchParams.get('manifest_json') ?? ''),
  ]).toEqual(['https://api.slack.com', manifest])
  expect(await page.getByTestId('setup-discord').textContent()).toContain('Not set up')
  expect(await page.getByTestId('setup-discord').getByText('PLATFORM2_BOT_TOKEN').first().isVisible()).toBe(false)
  await page.getByText('Where variables go').waitFor()
  await page.getByText('Add a line to /etc/form-triage.env, then run systemctl restart form-triage.').waitFor()
})

test('the set-up page sends a test card, whose button shows that clicks arrive, and an email, and says why one was refused', async () => {
  await page.goto(`${d.server.url}/setup`)
  expect(await page.getByTestId('test-card-discord').count()).toBe(0)
  const result = (name: string) => page.getByTestId(`${name}-result`)
  const trying = async (name: string, says: string) => {
    await page.getByTestId(name).click()
    await result(name).getByText(says).waitFor()
  }
  await trying('test-card-slack', 'Posted to Slack')
  const card = (await d.slack.messages()).find(({ blocks }) => blockText(blocks).startsWith('Test card of'))!
  await click(d, card, 'test_click', undefined)
  expect((await d.slack.thread(card.ts)).map(({ blocks }) => blockText(blocks))).toContain(
    'The click of Ada Lovelace arrived.',
  )
  await trying('test-email', 'Sent to triage@example.com')
  await pictures(page, 'setup-tested')
  d.slack.fault = () => ({ status: 200, body: '{"ok":false,"error":"not_in_channel"}' })
  await trying('test-card-slack', 'It was not posted')
  expect(await result('test-card-slack').textContent()).toContain(
    'Slack answered not_in_channel. Invite the bot to the channel.',
  )
  d.resend.fault = () => REFUSED
  await trying('test-email', 'It was not sent')
  await pictures(page, 'setup-refused')
  expect(problems.splice(0)).toEqual([expect.stringContaining('502')])
})

test.each(['/status', '/setup'])('%s has all its icons, fits, and has no serious accessibility finding', async (path) => {
  await page.goto(`${d.server.url}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByTestId(path === '/status' ? 'part-store' : 'setup-slack').waitFor()
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.locator(`html.${theme}`).waitFor()
    // An icon that is missing from the bundle is an empty box.
    expect(await page.evaluate('[...document.querySelectorAll(".iconify")].filter(icon => getComputedStyle(icon).maskImage === "none").map(icon => icon.className)')).toEqual([])
    for (const [size, width, height] of [['phone', 375, 812], ['desktop', 1280, 860]] as const) {
      await page.setViewportSize({ width, height })
      if (path === '/setup') await screenshot(page, `ops-setup-${theme}-${size}`)
    }
  }
  await pictures(page, `fresh-${path.slice(1)}`)
})
