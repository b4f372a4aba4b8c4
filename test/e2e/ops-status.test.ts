import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { screenshot } from '../support/browser'
import { cardNow, click, sendForm, submit } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { startServer } from '../support/server'
import { shiftedClock } from '../support/shifted-clock'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD } from '../support/visitor'

const d = endAfterAll(await deployPages({
  ...WITH_PASSWORD, NODE_ENV: 'production', METRICS_TOKEN: 'metrics-token-of-32-characters-00', TRUST_PROXY: '1',
  // A form refused while the store was frozen may still be stored, and keeps its place in the queue for so long.
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

describe('the status page', () => {
  test('of parts that nobody has used yet says so, and not that they work', async () => {
    await page.getByTestId('verdict').getByText('Nothing fails. Not used yet: Slack, Email, and Endpoint.').waitFor()
    expect([
      await stateOf('email'), await stateOf('endpoint'), await stateOf('slack'),
    ]).toEqual(['unused', 'unused', 'unused'])
    expect(await page.getByTestId('part-slack').textContent()).toMatch(/Credentials: last success/)
    expect(await page.getByTestId('part-email').textContent()).toMatch(/^\s*Email\s*Not used yet\s*$/)
    // The bars' first hour is formatted like all other times.
    expect(await page.locator('figure').innerText()).toMatch(/^(?:\w{3} \d+, )?\d\d:00\s[AP]M\s+now/)
    await pictures(page, 'status-unused')
  })

  test('says by how much the clock of the machine that answers is off', async () => {
    const shifted = endAfterTest(await startServer({ ...d.env, ...shiftedClock(65_000) }))
    await page.goto(`${shifted.url}/status`)
    await page.getByTestId('verdict').getByText(/machine that answered is 6[4-9] s ahead of the store's/).waitFor()
    expect(await page.locator('footer').textContent()).toMatch(/started just now/)
    await pictures(page, 'status-clock')
    // Leave the page first: it may still be loading in idle time.
    await page.goto('about:blank')
  })

  test('tells which part fails, since when and why, and that it works again', async () => {
    const { id, card } = await submit(d, { name: 'Grace' })
    d.resend.fault = ({ path }) => path === '/emails'
      ? { status: 500, body: '{"statusCode":500,"name":"internal_server_error","message":"x"}' }
      : undefined
    await click(d, card, 'forward', id)
    await page.getByTestId('part-email').getByText('Resend answered 500.').waitFor()
    expect(await stateOf('email')).toBe('failing')
    expect(
      await page.getByTestId('verdict').textContent(),
    ).toContain('Email fails. What is not given up is kept and tried again.')
    d.resend.fault = () => undefined
    await until('the email', async () => (await d.resend.emails()).some(({ html }) => html.includes(id)))
    await page.getByText('Everything works.').waitFor()
    expect([await stateOf('email'), await stateOf('slack'), await stateOf('store')]).toEqual(['ok', 'ok', 'ok'])
  })

  test('leads to the submissions whose delivery was given up, and stops once somebody decided', async () => {
    d.resend.fault = () => REFUSED
    const { id, card } = await submit(d, { name: 'Given Up' })
    await click(d, card, 'forward', id)
    const link = page.getByTestId('verdict').getByRole('link', { name: '1 submission needs a person' })
    await link.waitFor()
    expect((await page.getByTestId('stuck').textContent())?.trim()).toBe('1')
    expect(await page.getByTestId('stuck-list').getByRole('link').textContent()).toMatch(
      new RegExp(`Email: *Resend refused .*${id}`),
    )
    expect(await page.getByText('Everything works.').count()).toBe(0)
    await pictures(page, 'status-needs-person')
    await link.click()
    const row = page.getByTestId('row').filter({ hasText: 'Given Up' })
    await row.getByTestId('state').filter({ hasText: 'Failed' }).waitFor()
    expect(await page.getByTestId('row').count()).toBe(1)
    d.resend.fault = () => undefined
    await click(d, await cardNow(d, card), 'forward', id)
    await page.getByTestId('no-match').waitFor()
    await page.goto(`${d.server.url}/status`)
    await page.getByText('Everything works.').waitFor()
  })

  test('while the store is away says since when forms are refused, and of the rest that it is not known', async () => {
    await submit(d, { name: 'Ada' })
    d.redis.pause()
    await page.getByTestId('verdict').getByText(/Forms are being refused, .* since .*\d+:\d\d.* \(.*\)\./).waitFor()
    // The first answer may have read some parts earlier.
    await page.getByText('Unknown while the store is away').nth(2).waitFor()
    await until('the parts', async () => await stateOf('slack') === 'unknown')
    expect((await sendForm(d.server, { name: 'Refused' })).status).toBe(503)
    expect(await Promise.all(['store', 'slack', 'email'].map(stateOf))).toEqual(['failing', 'unknown', 'unknown'])
    const text = await page.locator('main').textContent()
    expect(text).not.toMatch(/never|tried again|Not used yet|Everything works/)
    expect(text!.match(/Unknown while the store is away/g)).toHaveLength(3)
    const counted = ['pending', 'stuck', 'overdue', 'count-received']
    for (const each of counted) expect(await page.getByTestId(each).count()).toBe(0)
    await pictures(page, 'status-store-away')
    d.redis.resume()
    await page.getByTestId('pending').waitFor()
    await page.getByTestId('verdict').filter({ hasNotText: 'refused' }).waitFor()
  })

  test('counts what came in and how it ended, and lists who decided', async () => {
    const { id, card } = await submit(d, { name: 'Spam & <b>co</b>' })
    await click(d, card, 'spam', id)
    await page.getByTestId('audit').getByText(id).waitFor()
    expect(await page.getByTestId('audit').getByRole('listitem').first().textContent()).toMatch(
      /Marked as spam.*Ada Lovelace on Slack/,
    )
    await page.getByTestId('count-spam').filter({ hasText: /^\s*1\s*$/ }).waitFor()
    expect(Number(await page.getByTestId('count-received').textContent())).toBeGreaterThanOrEqual(1)
  })

  test('shows which variables are set and never what they are', async () => {
    await page.getByText(/^Slack — /).click()
    const check = page.getByTestId('config-check')
    await check.getByText('CHAT_BOT_TOKEN').waitFor()
    const html = await page.content()
    for (const secret of [
      'xoxb-local-test', 'test-signing-secret', 're_test_key', 'secret-in-url', PASSWORD,
    ]) expect(html).not.toContain(secret)
    expect(await check.getByRole('listitem').filter({ hasText: 'CHAT_BOT_TOKEN' }).textContent()).toContain('is set')
    await page.getByText(/^Discord — /).click()
    expect(
      await check.getByRole('listitem').filter({ hasText: 'PLATFORM2_BOT_TOKEN' }).textContent(),
    ).toContain('is not set')
  })

  test('says that the store is away instead of going blank', async () => {
    const other = endAfterTest(await startServer({ ...d.env, STORE_URL: 'redis://127.0.0.1:9' }))
    const { cookies } = ada
    const response = await fetch(
      `${other.url}/api/status`, { headers: { cookie: [...cookies].map(pair => pair.join('=')).join('; ') } },
    )
    expect(await response.json()).toMatchObject({
      refusingSince: expect.any(Number), backlog: null, tally: null, audit: null,
      parts: [{ key: 'store', state: 'failing' }, { state: 'unknown' }, { state: 'unknown' }, { state: 'unknown' }],
    })
  })

  test('says in words that the server did not answer in time', async () => {
    await page.route('**/api/status', () => {})
    await page.getByTestId('verdict').getByText('The server cannot be reached.').waitFor({ timeout: 15_000 })
  })
})

describe('the set-up page', () => {
  test('hands out the manifest of this deployment, ready to create the app from', async () => {
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
    await page.getByText('A line of /etc/form-triage.env, then systemctl restart form-triage.').waitFor()
  })

  test('sends a test card, whose button shows that clicks arrive, and an email, and says why one was refused', async () => {
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
})

describe('who has signed in', () => {
  test('is named on the card of what they decide here', async () => {
    const { id, card } = await submit(d, { name: 'Linus' })
    expect((await ada.post(`/api/submissions/${id}/decision`, { action: 'forward' })).status).toBe(200)
    await d.server.drain()
    expect(blockText((await cardNow(d, card)).blocks)).toContain('Forwarded by Ada Lovelace on Ops page')
  })

  test('may download all pending submissions and the audit trail; nobody else may', async () => {
    const { id } = await submit(d, { name: '=1+1', note: 'Zürich' })
    const csv = await ada.get('/api/exports/submissions.csv')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="submissions.csv"')
    expect(await csv.text()).toMatch(new RegExp(`"${id}","open",.*"'=1\\+1"`))
    const all = await (await ada.get('/api/exports/submissions.json')).json() as { id: string, data: object }[]
    expect(all.find(each => each.id === id)?.data).toEqual({ name: '=1+1', note: 'Zürich' })
    expect((await (await ada.get('/api/exports/audit.json')).json() as object[]).length).toBeGreaterThan(0)
    expect((await ada.get('/api/exports/passwords.csv')).status).toBe(404)
    expect((await fetch(`${d.server.url}/api/exports/submissions.csv`)).status).toBe(401)
  })
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
