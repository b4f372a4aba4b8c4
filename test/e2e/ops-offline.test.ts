import type { Request } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { become } from '../support/seed'
import { until } from '../support/until'

// Actions without a connection are sent once when it returns, and typed text is kept.

/** Number of requests that the page has started, and the unfinished ones */
let begun: number
const underWay = new Set<Request>()

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1' }))
usePages({ expected: /ERR_(INTERNET_DISCONNECTED|FAILED)|status of 410/ })
beforeEach(() => {
  begun = 0
  underWay.clear()
  page.on('request', (request) => {
    if (request.resourceType() === 'eventsource') return
    begun++
    underWay.add(request)
  })
  const over = (request: Request) => void underWay.delete(request)
  page.on('requestfinished', over).on('requestfailed', over)
})
afterEach(() => offline(false))

const send = (data: unknown) => submitForm(d.server, data)
const offline = (is: boolean) => page.context().setOffline(is)
const notice = () => page.getByTestId('no-connection')
const waits = () => notice().getByText('What you did is sent, once').waitFor()
const row = (text: string) => page.getByTestId('row').filter({ hasText: text })
const open = async (id: string) => {
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByTestId('history').waitFor()
}

/** Returns the actions on a submission, oldest first. */
async function doneTo(id: string): Promise<string[]> {
  const { history } = await (await fetch(`${d.server.url}/api/submissions/${id}`)).json() as {
    history: { event: string }[]
  }
  return history.map(({ event }) => event).filter(event => event !== 'received' && event !== 'posted')
}

/** Waits for scripts that load when idle: all requests are answered and no user action is pending. */
async function idle() {
  for (let before = -1; before !== begun || underWay.size > 0;) {
    await until('the answers', () => underWay.size === 0)
    before = begun
    await page.evaluate('new Promise(resolve => requestIdleCallback(() => setTimeout(resolve)))')
  }
}

test('what was typed stays, and is sent once when the connection is back, or not at all', async () => {
  const id = await send({ name: 'Vic', message: 'Hello' })
  await open(id)
  await page.getByTestId('decide-edit').click()
  const typed = page.getByTestId('edit-f0')
  await typed.fill('Typed with care')
  await offline(true)
  await notice().getByText('what you type stays here').waitFor({ timeout: 5000 })
  await page.getByTestId('edit-submit').click()
  await waits()
  await pictures(page, 'offline-edit')
  await notice().getByRole('button', { name: 'Do not send it' }).click()
  expect(await typed.inputValue()).toBe('Typed with care')
  await page.getByTestId('edit-submit').click()
  await waits()
  await offline(false)
  await page.getByTestId('submission-ended').waitFor()
  expect(d.endpoint.requests.filter(({ body }) => body.includes('Typed with care'))).toHaveLength(1)
})

test.each([
  ['take', ['taken'], 'Assigned to you.'], ['hand-back', ['taken', 'returned'], 'Handed back.'],
  ['decide-spam', ['taken', 'returned', 'claimed'], 'Marked as spam.'],
  ['reopen', ['taken', 'returned', 'claimed', 'revoked'], 'Open again.'],
])('%s is done once: pressed without a connection, and when its answer is lost', async (button, events, says) => {
  for (const isLost of [false, true]) {
    const id = await send({ name: 'Una', message: button })
    await open(id)
    for (const before of ['take', 'hand-back', 'decide-spam', 'reopen']) {
      await page.getByTestId(before).waitFor()
      if (before === button) break
      await page.getByTestId(before).click()
      await page.getByTestId(before).waitFor({ state: 'detached' })
    }
    if (isLost) {
      await page.route('**/decision', async route => void await route.fetch().then(() => route.abort()), { times: 1 })
      await page.getByTestId(button).click()
    }
    else {
      await offline(true)
      await page.getByTestId(button).click()
      await waits()
      await offline(false)
    }
    // The answer comes after the retry; the event may arrive earlier.
    await page.getByTestId('notice').getByText(says).waitFor()
    await page.getByTestId(button).waitFor({ state: 'detached' })
    expect(await doneTo(id)).toEqual(events)
    await notice().waitFor({ state: 'detached' })
  }
})

test('erasing is asked before, and done once', async () => {
  for (const isLost of [false, true]) {
    const id = await send({ name: 'Ute', message: 'Hello' })
    await open(id)
    await page.getByTestId('erase').click()
    await page.getByTestId('confirm').waitFor()
    if (isLost) {
      await page.route('**/decision', async route => void await route.fetch().then(() => route.abort()), { times: 1 })
      await page.getByTestId('confirm').click()
    }
    else {
      await offline(true)
      await page.getByTestId('confirm').click()
      await page.getByRole('dialog').getByTestId('waiting').waitFor()
      await pictures(page, 'offline-question')
      await offline(false)
    }
    // The notice lasts only seconds.
    await page.getByText('Erased. The cards follow.').first().waitFor()
    await page.getByTestId('submission-ended').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

test('an email that came back is sent again once: its address stays while the connection is away', async () => {
  const id = await send({ name: 'Ulf', message: 'Hello' })
  await d.server.drain()
  const [at, receipt] = [Date.now(), { verdict: 'bounced', reason: 'mailbox does not exist' } as const]
  await become(d.redis.url, id, {
    failures: [{ delivery: 'email', reason: 'Bounced: mailbox does not exist.' }], delivered: ['endpoint'],
    sent: [{ delivery: 'email', content: 'x', to: ['triage@example.com'], at, messageId: 'm1', receipt }],
  })
  await open(id)
  await idle()
  await offline(true)
  await page.getByTestId('decide-resend').click()
  await page.getByTestId('resend-to').fill('grace@example.com')
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').getByTestId('waiting').waitFor()
  await pictures(page, 'offline-resend')
  expect(await page.getByTestId('resend-to').inputValue()).toBe('grace@example.com')
  await offline(false)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByTestId('submission-ended').getByText(/Sent to grace@example.com/).waitFor()
  await d.server.drain()
  const sent = (await d.resend.emails()).filter(({ html }) => html.includes(id))
  expect(sent.map(({ to }) => to)).toEqual([['grace@example.com']])
})

test('the list answers keys without a connection, and what is typed into the search is found when it is back', async () => {
  for (const name of ['Ida', 'Ivo', 'Ian']) await send({ name, message: 'Seek and find' })
  await page.goto(d.server.url)
  await row('Ian').waitFor()
  await idle()
  await offline(true)
  await page.keyboard.press('j')
  await page.keyboard.press('t')
  await waits()
  await pictures(page, 'offline-list')
  await offline(false)
  await row('Ian').getByTestId('holder').waitFor()
  await notice().waitFor({ state: 'detached' })

  await offline(true)
  await page.getByTestId('search').fill('seek iv')
  // The search starts a moment after typing.
  await page.waitForURL('**/?q=seek+iv')
  await page.getByTestId('stale').waitFor()
  expect(await page.getByTestId('search').inputValue()).toBe('seek iv')
  await pictures(page, 'offline-search')
  await offline(false)
  await row('Ian').waitFor({ state: 'detached' })
  expect(await page.getByTestId('row').count()).toBe(1)
  expect(await page.getByTestId('search').inputValue()).toBe('seek iv')

  // A row still opens offline, with an error in place of the missing data.
  await offline(true)
  await row('Ivo').getByRole('link').first().click()
  await page.getByTestId('submission-error').waitFor()
  await pictures(page, 'offline-submission')
  await offline(false)
  await page.getByText('Ivo').first().waitFor()
})

test('who looks at the list opens Status without a connection, which says so, and comes back', async () => {
  await send({ name: 'Uli', message: 'Hello' })
  await page.goto(d.server.url)
  await page.getByTestId('row').first().waitFor()
  await idle()
  await offline(true)
  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByTestId('verdict').getByText('The server cannot be reached').waitFor()
  await pictures(page, 'offline-status')
  await page.getByRole('link', { name: 'Submissions', exact: true }).click()
  await page.getByRole('heading', { name: 'Submissions' }).waitFor()
  await offline(false)
  await page.getByTestId('row').first().waitFor()
})

test('whoever types when the answer comes keeps their place, and what they type decides nothing', async () => {
  for (const name of ['Una', 'Ute', 'Uwe']) await send({ name, message: 'Typing' })
  await page.goto(`${d.server.url}/?q=typing`)
  await row('Uwe').waitFor()
  await page.getByTestId('filter-mine').waitFor()
  await idle()
  await offline(true)
  await page.keyboard.press('j')
  await page.keyboard.press('s')
  await waits()
  await page.getByTestId('search').fill('typing u')
  await offline(false)
  await page.getByTestId('notice').getByText('Marked as spam.').waitFor()
  await row('Uwe').waitFor({ state: 'detached' })
  await page.keyboard.type('sft')
  expect(await page.getByTestId('search').inputValue()).toBe('typing usft')
  await page.getByTestId('search').fill('typing')
  await row('Ute').waitFor()
  expect(await page.getByTestId('row').count()).toBe(2)
})

test('many are decided once, and the dialog goes on when the connection is back', async () => {
  for (const name of ['Ada', 'Bea', 'Cyd']) await send({ name, message: 'Many' })
  await page.goto(`${d.server.url}/?q=many`)
  await row('Cyd').waitFor()
  await idle()
  await page.getByTestId('select-page').click()
  await page.getByTestId('many-spam').click()
  await page.getByTestId('confirm').waitFor()
  await offline(true)
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').getByTestId('waiting').waitFor()
  await pictures(page, 'offline-many')
  await page.getByTestId('bulk-stop').click()
  await page.getByTestId('bulk-errors').getByText('3 submissions may be as before.').waitFor()
  await page.getByTestId('confirm').click()
  await waits()
  await offline(false)
  await page.getByText('3 submissions marked as spam.').first().waitFor()
  await page.getByTestId('no-match').waitFor()
})
