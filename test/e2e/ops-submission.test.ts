import { afterEach, expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { pressEnter, screenshot } from '../support/browser'
import { cardNow, click, introduce, submit, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { browser, deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { become } from '../support/seed'
import { until } from '../support/until'

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1', HELD_MAX: '9' }))
await introduce(d)
afterEach(() => { d.resend.fault = d.slack.fault = () => undefined })
// Expected refusals: browsers report their status as errors.
usePages({ expected: /status of (400|404|409|410|423|503)|ERR_FAILED/ })

const FORM = {
  name: 'Ada Lovelace', quantity: 2,
  order: { items: [{ sku: 'AE-1', count: 2 }], address: { 'city': 'London', '': 'gate', 'floor': '' } },
  essay: 'Dear team,\n'.repeat(40), html: '<img src=x onerror="document.title=\'owned\'">',
}
const open = (id: string) => page.goto(`${d.server.url}/submissions/${id}`)
const edit = (input: number) => page.getByTestId(`edit-f${input}`)
const ended = (text: RegExp) => page.getByTestId('submission-ended').getByText(text).waitFor()
const shown = () => /submissions\/([^/#]+)/.exec(page.url())?.[1]
const isNext = (id: string) => page.locator(`[data-next="${id}"]`).waitFor()

test('a reviewer reads a form as text, edits it, is told what is wrong, and forwards it under their name', async () => {
  const { id, card } = await submit(d, FORM)
  await open(id)
  const field = (label: string) => page.getByTestId('submission-field').filter({ hasText: label })
  await field('name').getByText('Ada Lovelace').waitFor()
  expect(await field('html').textContent()).toContain(FORM.html)
  expect([await page.locator('main img').count(), await page.title()]).toEqual([0, expect.not.stringMatching('owned')])
  await field('order').locator('summary').filter({ hasText: '1 item' }).click()
  await field('order').getByText('AE-1').waitFor({ state: 'detached' })
  await field('essay').getByRole('button', { name: 'Show all 440 characters' }).click()
  await page.getByTestId('history').getByText('Card posted on Slack').waitFor()
  expect(await page.getByTestId('card-link').getAttribute('href')).toContain('slack.com/archives/C000000001/p')
  await pictures(page, 'submission-read')

  await page.getByTestId('decide-edit').click()
  await edit(0).fill('Grace Hopper')
  await edit(2).fill('{"items": [')
  await page.getByTestId('edit-submit').click()
  await page.getByText('This field is a JSON object.').waitFor()
  await pictures(page, 'edit-error')
  expect(await edit(0).inputValue()).toBe('Grace Hopper')
  await edit(2).fill('{"items": []}')
  await page.getByTestId('edit-submit').click()
  await ended(/Edited and forwarded by Local on Ops page/)
  await d.server.drain()
  expect(JSON.stringify((await cardNow(d, card)).blocks)).toContain('Edited and forwarded by Local on Ops page')
  expect(JSON.parse(d.endpoint.requests.at(-1)!.body)).toEqual({ ...FORM, name: 'Grace Hopper', order: { items: [] } })
})

/** Presses the mouse without moving it. Browsers report 2 for the second click of a double click. */
async function press(clickCount: 1 | 2) {
  await page.mouse.down({ clickCount })
  await page.mouse.up({ clickCount })
}

test('one decision leads to the next submission; a double click, or a key that is held, decides one', async () => {
  const ids: string[] = []
  for (const name of ['Pia', 'Pam', 'Pol', 'Pit']) ids.unshift(await submitForm(d.server, { name, message: 'onwards' }))
  const [first, second, third, last] = ids as [string, string, string, string]
  const asked: string[] = []
  page.on('request', request => request.url().endsWith('/decision') && asked.push(request.url().split('/').at(-2)!))
  await page.goto(`${d.server.url}/?q=onwards`)
  await page.getByTestId('row').nth(3).waitFor()
  await pressEnter(page.getByTestId('row').first().getByRole('link').first())
  await isNext(second)
  await page.locator('h1:focus').waitFor()
  await page.getByTestId('decide-spam').hover()
  await press(1)
  await page.locator('main').getByText(second).waitFor()
  await page.getByTestId('decide-spam').waitFor()
  await press(2)
  await isNext(third)
  expect(asked).toEqual([first])
  await page.keyboard.down('s')
  await page.locator('main').getByText(third).waitFor()
  await isNext(last)
  for (let time = 0; time < 5; time++) await page.keyboard.down('s')
  await page.keyboard.up('s')
  expect(asked).toEqual([first, second])
  await page.keyboard.press('s')
  await page.locator('main').getByText(last).waitFor()
  await page.getByTestId('notice').getByText('Marked as spam').waitFor()
  await page.keyboard.press('s')
  await page.getByTestId('all-done').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await screenshot(page, 'all-done')
  await page.keyboard.press('k')
  await page.getByTestId('reopen').waitFor()
  expect(shown()).toBe(last)
})

test('of two tabs that forward, one is told that it came too late, and one email goes out', async () => {
  const { id } = await submit(d, FORM)
  // A tab of another browser: tabs of one browser may notify each other.
  const other = await browser.newPage()
  const tabs = [page, other]
  for (const tab of tabs) {
    await tab.route('**/api/submissions/events*', route => route.abort())
    await tab.goto(`${d.server.url}/submissions/${id}`)
    await tab.getByTestId('decide-forward').click()
    await tab.getByTestId('confirm').waitFor()
    await tab.route(`**/api/submissions/${id}`, () => {})
  }
  await Promise.all(tabs.map(tab => tab.getByTestId('confirm').click()))
  const refusals = async () => Promise.all(tabs.map(tab => tab.getByTestId('refusal').count()))
  await until('one refusal', async () => (await refusals()).reduce((sum, count) => sum + count) === 1)
  const emails = async () => (await d.resend.emails()).filter(({ html }) => html.includes(id))
  await until('the email', async () => (await emails()).length > 0)
  await d.server.drain()
  expect(await emails()).toHaveLength(1)
  await Promise.all(tabs.map(tab => tab.close()))
  problems.splice(0)
})

test('a reviewer takes one, is too late for another, sends an email again that came back, and erases it', async () => {
  await open(await submitForm(d.server, { name: 'Taken' }))
  await pressEnter(page.getByTestId('take'))
  await page.getByTestId('hand-back').waitFor()
  await page.getByTestId('notes').getByText(/^Local has it \(Ops page, /).waitFor()
  const { id, card } = await submit(d, { name: 'Late Lena' })
  await open(id)
  await pressEnter(page.getByTestId('decide-forward'))
  await page.locator('[data-testid=confirm]:focus').waitFor()
  await click(d, card, 'spam', id)
  await page.getByTestId('refusal').getByText(/Marked as spam by Ada Lovelace on Slack/).waitFor()
  expect(await page.getByTestId('confirm').count()).toBe(0)
  await pictures(page, 'decision-late')
  await page.keyboard.press('Escape')
  await d.server.drain()

  const [{ id: again }, at] = [await submit(d, { name: 'Bounced Bob' }), Date.now()]
  await d.server.drain()
  const receipt = { verdict: 'bounced', reason: 'mailbox does not exist' } as const
  await become(d.redis.url, again, {
    failures: [{ delivery: 'email', reason: 'Bounced: mailbox does not exist.' }], delivered: ['endpoint'],
    sent: [{ delivery: 'email', content: 'x', to: ['triage@example.com'], at, messageId: 'm1', receipt }],
    history: [{ at, event: 'received' }, { at, event: 'receipt', receipt }],
  })
  await open(again)
  await page.getByTestId('decide-resend').click()
  await page.getByTestId('resend-to').fill('nobody')
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').getByText(/This is not an email address/).waitFor()
  await pictures(page, 'submission-send-again')
  await page.getByTestId('resend-to').fill('grace@example.com')
  await page.getByTestId('confirm').click()
  await ended(/Sent to grace@example.com/)
  const sent = (await d.resend.emails()).filter(({ html }) => html.includes(again))
  expect(sent.map(({ to }) => to)).toEqual([['grace@example.com']])
  await d.server.drain()
  await page.reload()
  await page.getByTestId('erase').click()
  await page.getByTestId('confirm').click()
  await ended(/^Erased by Local/)
  await pictures(page, 'submission-erased')
  await open('never-was')
  await page.getByText('or its id is wrong').waitFor()
  await screenshot(page, 'submission-unknown')
})

test('what is held is behind a filter, and is released or erased on its page', async () => {
  for (const name of ['Robot', 'Autofill Ada']) await submitForm(d.server, { name, _gotcha: 'x' })
  const row = (text: string) => page.getByTestId('row').filter({ hasText: text })
  await page.goto(`${d.server.url}/?state=held`)
  await page.getByTestId('total').getByText('2 held').waitFor()
  await row('Autofill Ada').click()
  await page.getByTestId('notes').getByText(/^Held because/).waitFor()
  await pictures(page, 'submission-held')
  await page.getByTestId('release').click()
  await page.getByTestId('decide-forward').waitFor()
  await page.goBack()
  await row('Robot').click()
  await page.getByTestId('erase').click()
  await page.getByTestId('confirm').click()
  await page.getByTestId('all-done').getByRole('button', { name: 'Previous one' }).click()
  await page.getByText(/^The data was erased\s*On \w{3} \d+, 20\d\d, \d\d:\d\d [AP]M UTC\. The audit trail/).waitFor()
  await until('the focus on the heading', async () => await page.evaluate('document.activeElement.tagName') === 'H1')
})

test('a card that Slack refused is posted again, and its button leaves the focus to the heading', async () => {
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage'
    ? { status: 200, body: '{"ok":false,"error":"invalid_blocks"}' }
    : undefined
  await open(await submitForm(d.server, { name: 'Pia', message: 'Post' }))
  const again = page.getByRole('button', { name: 'Post the card again' })
  await again.waitFor()
  d.slack.fault = () => undefined
  await pressEnter(again)
  await page.getByText('The card is on its way.').first().waitFor()
  await page.locator('h1:focus').waitFor({ timeout: 5000 })
})
