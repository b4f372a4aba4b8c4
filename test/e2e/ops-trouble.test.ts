import { createClient } from 'redis'
import { expect, test } from 'vitest'
import { holdRequests } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { seed, waiting } from '../support/seed'

const CRON_SECRET = 'a-secret-of-some-length'
const HOUR_MS = 60 * 60_000
const METRICS_TOKEN = 'metrics-token-of-32-characters-00'
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

const d = endAfterAll(await deployPages({ VERCEL: '1', CRON_SECRET, METRICS_TOKEN }))
usePages({ expected: /status of (410|50[03])/ })

/** Returns for how long the oldest due work has been overdue, as Prometheus reads it, s. */
async function overdueSeconds(): Promise<number> {
  const text = await (await fetch(`${d.server.url}/api/metrics`, bearer(METRICS_TOKEN))).text()
  return Number(/^triage_oldest_overdue_seconds (.+)$/m.exec(text)?.[1])
}

test('one that cannot be read says so, and is erased on its page', async () => {
  await seed(d.redis.url, [waiting({ id: 'spoilt', cards: [], data: { name: 'Marvin' } })])
  const client = await createClient({ url: d.redis.url }).connect()
  await client.set('{triage}:d:spoilt', '{"name":"Marvin')
  await page.goto(d.server.url)
  const unreadable = page.getByTestId('unreadable')
  await unreadable.getByText('1 submission cannot be read, and is not in this list: spoilt').waitFor()
  await page.getByRole('heading', { name: 'Nothing else is waiting' }).waitFor()
  await pictures(page, 'list-unreadable')
  await unreadable.getByRole('link').click()
  const problem = page.getByTestId('submission-error')
  await problem.getByText(/ cannot be read: .*, only erased: on its page, or by DELETE/).waitFor()
  await pictures(page, 'submission-unreadable')
  page.once('dialog', dialog => void dialog.accept())
  await problem.getByRole('button', { name: 'Erase it' }).click()
  await page.getByTestId('submission-ended').getByText(/Erased by /).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Submissions' }).waitFor()
  await unreadable.waitFor({ state: 'detached' })
  expect(await client.exists('{triage}:d:spoilt')).toBe(0)
  await client.close()
})

test('status and metrics say since when nobody does the work that is due, until the scheduler comes', async () => {
  const dueAt = Date.now() - 6 * 60_000
  await seed(d.redis.url, [waiting({
    receivedAt: dueAt, cards: [], work: [{ key: 'post:slack', kind: 'post', room: 'slack', attempts: 0, dueAt }],
  })])
  await page.goto(`${d.server.url}/status`)
  const verdict = page.getByTestId('verdict')
  await verdict.getByText(/Nobody does the work that is due: .* was due .*\d+:\d\d.* \(.*6.*\)\./).waitFor()
  expect(await verdict.getByText(/works|Nothing fails/).count()).toBe(0)
  await pictures(page, 'status-undone')
  expect(await overdueSeconds()).toBeGreaterThanOrEqual(6 * 60)
  const swept = await fetch(`${d.server.url}/api/cron/sweep`, bearer(CRON_SECRET))
  expect(await swept.json()).toEqual({ taken: 1 })
  await verdict.getByText('Nothing fails. Not used yet: Email and Endpoint.').waitFor()
  expect(d.slack.calls('chat.postMessage')).toHaveLength(1)
  expect(await overdueSeconds()).toBe(0)
})

test.each([['behind', -HOUR_MS], ['ahead', HOUR_MS]])('how long ago something was goes by the clock of the service, where that of a browser is an hour %s', async (_how, offMs) => {
  const made = waiting({ receivedAt: Date.now() - 10 * 60_000 })
  await seed(d.redis.url, [made])
  await page.clock.install({ time: Date.now() + offMs })
  await page.goto(`${d.server.url}/submissions/${made.id}`)
  await page.locator('header').getByText(/Received 1\d min ago/).waitFor()
  await page.goto(d.server.url)
  await page.locator(`[data-id="${made.id}"]`).getByText(/^1\d min ago$/).waitFor()
  await page.goto(`${d.server.url}/status`)
  await page.getByTestId('verdict').getByText('Nothing fails').waitFor()
  await page.getByTestId('part-store').getByText('Last success just now').waitFor()
})

test('whoever comes back to the status after a while is not told that the server is silent before it was asked', async () => {
  await page.clock.install()
  await page.goto(`${d.server.url}/status`)
  const verdict = page.getByTestId('verdict')
  await verdict.getByText('Nothing fails').waitFor()
  await beSeen('hidden')
  await page.clock.fastForward(HOUR_MS)
  const goOn = await holdRequests(page, '**/api/status', route => route.continue())
  await beSeen('visible')
  await page.getByTestId('liveness').getByText('Connecting…', { exact: true }).waitFor()
  await verdict.getByText(/Asking every part … What follows is as of .* \(1 h.* ago\)/).waitFor()
  expect(await verdict.getByText(/does not answer|Nothing fails/).count()).toBe(0)
  // Screen readers must not announce a text that changes every second.
  expect(await verdict.locator('time:not([aria-live=off] *)').count()).toBe(0)
  goOn()
  await page.getByTestId('liveness').getByText('Live', { exact: true }).waitFor()
  await verdict.getByText('Nothing fails').waitFor()
})

test('an export that cannot be made is told of on the page, which stays', async () => {
  await page.goto(`${d.server.url}/status`)
  const file = page.getByRole('link', { name: 'Pending submissions' })
  await file.waitFor()
  const away = { status: 503, json: { error: 'The store does not answer.' } }
  const asked: string[] = []
  page.on('request', request => request.url().includes('/api/exports/') && asked.push(request.url()))
  await page.route('**/api/submissions?*', route => route.fulfill(away))
  await file.click()
  await page.getByText('The store does not answer.').first().waitFor()
  expect(await file.isVisible()).toBe(true)
  await page.unroute('**/api/submissions?*')
  const download = page.waitForEvent('download')
  await file.click()
  expect((await download).suggestedFilename()).toBe('submissions.csv')
  // Only one request: the server reads all pending submissions for each.
  expect(asked).toHaveLength(1)
})

/** Sends the browser's event for switching to another tab or back. */
async function beSeen(state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  `)
}

test('what the store does not tell of the parts is not known to the status, which says of nothing that it works', async () => {
  const client = await createClient({ url: d.redis.url }).connect()
  await client.del('{triage}:health')
  await client.set('{triage}:health', 'spoilt')
  await page.goto(`${d.server.url}/status`)
  const verdict = page.getByTestId('verdict')
  await verdict.getByText('what it has about Slack, Email, and Endpoint cannot be read: nobody knows').waitFor()
  expect(await verdict.getByText(/Everything works|Nothing fails/).count()).toBe(0)
  await client.del('{triage}:health')
  await client.close()
})

test('the status says which setting keeps the bot from listening, and of no scheduler then', async () => {
  const [platform, label, refusal] = ['discord', 'Discord', 'Switch on the Message Content intent of the bot.']
  const status = {
    refusal, owner: null, connectedSince: null, resumes: 0, identifiesInDay: 1, lastEventAt: null,
    lastForwardError: null, nextRestartAt: null, deadLetters: 0,
  }
  await page.route('**/api/status', async (route) => {
    const told = await (await route.fetch()).json() as object
    await route.fulfill({ json: { ...told, gateways: [{ platform, label, status }] } })
  })
  await page.goto(`${d.server.url}/status`)
  await page.getByTestId('verdict').getByText(refusal).waitFor()
  const panel = page.getByTestId('gateway-discord')
  await panel.getByText(`${refusal} It is tried again every few minutes.`).waitFor()
  expect(await panel.getByText('scheduler').count()).toBe(0)
  await page.unroute('**/api/status')
})

test('while a platform takes no cards, what came in is selected on the list, and one leads to the next', async () => {
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? { status: 500 } : undefined
  // The newest comes first.
  const later = await submitForm(d.server, { name: 'Later' })
  await submitForm(d.server, { name: 'First' })
  await d.server.drain()
  await page.goto(`${d.server.url}/?state=retrying`)
  await page.getByTestId('row').nth(1).getByText('Card on Slack: Slack: HTTP 500.').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByTestId('selection').getByText('1 selected').waitFor()
  await page.getByTestId('row').nth(1).getByTestId('select').check()
  await page.getByTestId('selection').getByText('2 selected').waitFor()
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  await page.locator(`[data-next="${later}"]`).waitFor()
  d.slack.fault = () => undefined
})
