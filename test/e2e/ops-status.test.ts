import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { blockText } from '../support/block-kit'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { cardNow, click, deploy, sendForm, submit, type Deployment } from '../support/deployment'
import { startServer } from '../support/server'
import { shiftedClock } from '../support/shifted-clock'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD, type Visitor } from '../support/visitor'

let d: Deployment
let browser: Browser
let ada: Visitor
let page: Page
let problems: string[]
/** Of a visitor of its own, because attempts to sign in are counted. */
let address = 0

beforeAll(async () => {
  [d, browser] = await Promise.all([
    deploy({ ...WITH_PASSWORD, METRICS_TOKEN: 'metrics-token-of-32-characters-00', TRUST_PROXY: '1' }), startBrowser(),
  ])
  // A page's first requests would find a cold server on a busy machine.
  await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
  ada = visit(d.server)
  expect((await ada.signIn(PASSWORD)).status).toBe(200)
})
afterAll(() => Promise.all([browser.close(), d.close()]))
beforeEach(async () => {
  ({ page, problems } = await openPage(browser, { 'x-forwarded-for': `198.51.100.${++address}` }))
  await page.goto(`${d.server.url}/sign-in?to=/status`)
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByTestId('part-store').waitFor()
})
afterEach(async () => {
  d.resend.fault = () => undefined
  expect(problems).toEqual([])
  await page.close()
})

const stateOf = (part: string) => page.getByTestId(`part-${part}`).getAttribute('data-state')

describe('the status page', () => {
  test('of parts that nobody has used yet says so, and not that they work', async () => {
    await page.getByTestId('verdict').getByText('Nothing fails. Not used yet: Email and Endpoint.').waitFor()
    expect([
      await stateOf('email'), await stateOf('endpoint'), await stateOf('slack'),
    ]).toEqual(['unused', 'unused', 'ok'])
    expect(await page.getByTestId('part-email').textContent()).toMatch(/^\s*Email\s*Not used yet\s*$/)
    await screenshot(page, 'status-unused')
  })

  test('says by how much the clock of the machine that answers is off', async () => {
    const shifted = await startServer({ ...d.env, ...shiftedClock(65_000) })
    await page.goto(`${shifted.url}/status`)
    const line = page.getByTestId('verdict').getByText(
      /clock of the machine that answered is 6[4-9] s ahead of the store's/,
    )
    await line.waitFor()
    await screenshot(page, 'status-clock')
    await shifted.kill()
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
    d.resend.fault = ({ path }) => path === '/emails'
      ? { status: 422, body: '{"statusCode":422,"name":"validation_error","message":"x"}' }
      : undefined
    const { id, card } = await submit(d, { name: 'Given Up' })
    await click(d, card, 'forward', id)
    const link = page.getByTestId('verdict').getByRole('link', { name: '1 submission needs a person' })
    await link.waitFor()
    expect((await page.getByTestId('stuck').textContent())?.trim()).toBe('1')
    expect(await page.getByTestId('stuck-list').getByRole('link').textContent()).toMatch(
      new RegExp(`Email: *Resend refused .*${id}`),
    )
    expect(await page.getByText('Everything works.').count()).toBe(0)
    await screenshot(page, 'status-needs-person')
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
    expect((await sendForm(d.server, { name: 'Refused' })).status).toBe(503)
    expect([
      await stateOf('store'), await stateOf('slack'), await stateOf('email'),
    ]).toEqual(['failing', 'unknown', 'unknown'])
    const text = await page.locator('main').textContent()
    expect(text).not.toMatch(/never|tried again|Not used yet|Everything works/)
    expect(text!.match(/Unknown while the store is away/g)).toHaveLength(3)
    for (const counted of [
      'pending', 'stuck', 'overdue', 'count-received',
    ]) expect(await page.getByTestId(counted).count()).toBe(0)
    await screenshot(page, 'status-store-away')
    d.redis.resume()
    await page.getByTestId('pending').waitFor()
    expect(await page.getByTestId('verdict').textContent()).not.toContain('refused')
  })

  test('counts what came in and how it ended, and lists who decided', async () => {
    const { id, card } = await submit(d, { name: 'Spam & <b>co</b>' })
    await click(d, card, 'spam', id)
    await page.getByTestId('audit').getByText(id).waitFor()
    expect(await page.getByTestId('audit').getByRole('listitem').first().textContent()).toMatch(
      /Marked as spam.*Ada Lovelace on Slack/,
    )
    expect(await page.getByTestId('count-spam').textContent()).toMatch(/^\s*1\s*$/)
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
    const other = await startServer({ ...d.env, STORE_URL: 'redis://127.0.0.1:9' })
    const { cookies } = ada
    const response = await fetch(
      `${other.url}/api/status`, { headers: { cookie: [...cookies].map(pair => pair.join('=')).join('; ') } },
    )
    expect(await response.json()).toMatchObject({
      refusingSince: expect.any(Number), backlog: null, tally: null, audit: null,
      parts: [{ key: 'store', state: 'failing' }, { state: 'unknown' }, { state: 'unknown' }, { state: 'unknown' }],
    })
    await other.kill()
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

test.each(['/status', '/setup'])('%s has no serious accessibility finding, in light and dark, and fits a phone', async (path) => {
  await page.goto(`${d.server.url}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByTestId(path === '/status' ? 'part-store' : 'setup-slack').waitFor()
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.evaluate(`document.documentElement.classList.toggle('dark', ${theme === 'dark'})`)
    // An icon that is not in the bundle is an empty box.
    expect(await page.evaluate('[...document.querySelectorAll(".iconify")].filter(icon => getComputedStyle(icon).maskImage === "none").map(icon => icon.className)')).toEqual([])
    if (path === '/setup') await screenshot(page, `ops-setup-${theme}-desktop`)
    expect(await seriousFindings(page)).toEqual([])
  }
  await page.setViewportSize({ width: 375, height: 800 })
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  if (path === '/setup') await screenshot(page, 'ops-setup-dark-phone')
})
