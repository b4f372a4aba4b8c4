import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { submitForm, type Deployment } from '../support/deployment'
import { deployPages, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import type { Recorded } from '../support/proxy'
import { startServer } from '../support/server'

let d: Deployment
beforeAll(async () => { d = await deployPages({ LEASE_MS: '1500' }) })
afterAll(() => d.close())
afterEach(() => { d.slack.fault = d.resend.fault = d.endpoint.fault = () => undefined })
usePages()

const isCard = ({ path }: Recorded) => path === '/api/chat.postMessage'
const refusing = (error: string) => ({ status: 200, body: JSON.stringify({ ok: false, error }) })
const ready = async (url = d.server.url) => (await fetch(`${url}/api/ready`)).json() as Promise<{ warnings: string[] }>
const part = (key: string, state: string) => page.locator(`[data-testid=part-${key}][data-state=${state}]`)

test('that Slack takes the token does not hide that it refuses every card', async () => {
  d.slack.fault = request => isCard(request) ? refusing('channel_not_found') : undefined
  await submitForm(d.server, { name: 'Unseen' })
  await d.server.drain()
  const reason = 'Slack answered channel_not_found. Check CHAT_CHANNEL_ID.'
  // A process that starts asks for the credentials at once.
  const other = await startServer(d.env)
  expect((await ready(other.url)).warnings).toContain(`Slack, cards: ${reason}`)
  await other.kill()
  await page.goto(`${d.server.url}/status`)
  await part('slack', 'failing').getByText(reason).waitFor()
  await part('slack', 'failing').getByText('Credentials: last success').waitFor()
  await page.getByTestId('verdict').getByText('Slack fails.').waitFor()
  await pictures(page, 'status-cards-refused')
  await page.goto(`${d.server.url}/setup`)
  const guide = page.getByTestId('setup-slack')
  await guide.getByText('Fails', { exact: true }).waitFor()
  await page.getByTestId('problem-slack').getByText(reason).waitFor()
  expect(await guide.locator('li', { hasText: 'CHAT_CHANNEL_ID' }).first().textContent()).toContain('check it')
  await pictures(page, 'setup-cards-refused')
  d.slack.fault = () => undefined
  await page.goto(`${d.server.url}/status`)
  await part('slack', 'ok').waitFor()
  expect((await ready()).warnings).toEqual([])
})

test('a token that Slack refuses has no green tick on the set-up page', async () => {
  d.slack.fault = ({ path }) => path === '/api/auth.test' ? refusing('invalid_auth') : undefined
  const other = await startServer(d.env)
  await page.goto(`${other.url}/setup`)
  const guide = page.getByTestId('setup-slack')
  await guide.getByText('Slack, credentials: Slack answered invalid_auth. Check CHAT_BOT_TOKEN.').waitFor()
  expect(await guide.locator('li', { hasText: 'CHAT_BOT_TOKEN' }).first().textContent()).toContain('check it')
  expect(await guide.locator('.text-success').count()).toBe(0)
  await page.goto('about:blank')
  d.slack.fault = () => undefined
  await other.kill()
  // The next one asks again.
  const repaired = await startServer(d.env)
  await ready(repaired.url)
  await repaired.kill()
})

test('a rate limit is told as what it is, with the time of the next card', async () => {
  const [seconds, since] = [15, Date.now()]
  let limited = 0
  d.slack.fault = request => isCard(request) && limited++ === 0
    ? { status: 429, headers: { 'retry-after': String(seconds) } }
    : undefined
  await submitForm(d.server, { name: 'Patient' })
  await page.goto(`${d.server.url}/status`)
  const line = /Slack limits the rate; the next card goes at \d\d:\d\d:\d\d\s[AP]M\./
  await page.getByTestId('verdict').getByText(line).waitFor()
  await part('slack', 'limited').getByText(line).waitFor()
  expect(Date.now() - since).toBeLessThan(seconds * 1000)
  await pictures(page, 'status-limited')
  expect(await page.getByTestId('verdict').getByText('fails').count()).toBe(0)
  await part('slack', 'ok').waitFor()
  expect(limited).toBe(2)
})
