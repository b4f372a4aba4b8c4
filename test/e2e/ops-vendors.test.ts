import { createClient } from 'redis'
import { afterEach, expect, test } from 'vitest'
import { click, submit, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import type { Recorded } from '../support/proxy'
import { startServer } from '../support/server'
import { until } from '../support/until'

const d = endAfterAll(await deployPages({ LEASE_MS: '1500' }))
afterEach(() => { d.slack.fault = d.resend.fault = d.endpoint.fault = () => undefined })
usePages({ expected: /status of 503/ })

const isCard = ({ path }: Recorded) => path === '/api/chat.postMessage'
const refusing = (error: string) => ({ status: 200, body: JSON.stringify({ ok: false, error }) })
const ready = async (url = d.server.url) => (await fetch(`${url}/api/ready`)).json() as Promise<{ warnings: string[] }>
const part = (key: string, state: string) => page.locator(`[data-testid=part-${key}][data-state=${state}]`)

test('that Slack takes the token does not hide that it refuses every card', async () => {
  d.slack.fault = request => isCard(request) ? refusing('channel_not_found') : undefined
  await submitForm(d.server, { name: 'Unseen' })
  await d.server.drain()
  const reason = 'Slack answered channel_not_found. Check CHAT_CHANNEL_ID.'
  // A process checks the credentials as soon as it starts.
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

test('what was given up while the mail provider refused is sent again by one click of who may decide', async () => {
  d.resend.fault = () => ({ status: 401, body: '{"statusCode":401,"name":"validation_error","message":"x"}' })
  const ids: string[] = []
  for (const name of ['Ada', 'Grace']) {
    const { id, card } = await submit(d, { name })
    await click(d, card, 'forward', id)
    ids.push(id)
  }
  expect((await ready()).warnings).toContain('Email: Resend refused the API key (401). Check MAIL_API_KEY.')
  await page.goto(`${d.server.url}/setup`)
  await page.getByTestId('problem-email').getByText('Resend refused the API key (401)').waitFor()
  d.resend.fault = () => undefined
  await page.goto(`${d.server.url}/status`)
  await part('email', 'failing').getByRole('button', { name: 'Try all again now' }).click()
  await page.getByTestId('retried-email').getByText('2 submissions are being tried again.').waitFor()
  await pictures(page, 'status-tried-again')
  await part('email', 'ok').waitFor()
  await page.getByTestId('stuck').getByText('0').waitFor()
  for (const id of ids) {
    await until('the email', async () => (await d.resend.emails()).some(({ html }) => html.includes(id)))
  }
  await page.getByTestId('retry-email').click()
  await page.getByTestId('retried-email').getByText('Nothing waits for Email.').waitFor()
})

test('the list says that forms are refused while the store is away, or takes none', async () => {
  await page.goto(d.server.url)
  const badge = page.getByTestId('liveness')
  await badge.getByText('Live', { exact: true }).waitFor()
  const admin = await createClient({ url: d.redis.url }).connect()
  await admin.configSet('maxmemory', '1mb')
  await badge.getByText('Forms refused').waitFor()
  const refusing = page.getByTestId('refusing')
  await refusing.getByText('The status says what to change.').waitFor()
  await pictures(page, 'list-refusing')
  await admin.configSet('maxmemory', '0')
  await badge.getByText('Live', { exact: true }).waitFor()
  await refusing.waitFor({ state: 'detached' })
  admin.destroy()
  d.redis.pause()
  await refusing.getByText('The store does not answer').waitFor()
  await page.getByTestId('stale').waitFor()
  await badge.getByText('Not live').waitFor()
  d.redis.resume()
  await refusing.waitFor({ state: 'detached' })
  await badge.getByText('Live', { exact: true }).waitFor()
})
