import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { fits, screenshot } from '../support/browser'
import { cardNow, click, introduce, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { browser, deployPages, page, problems, usePages } from '../support/pages'
import { become } from '../support/seed'
import { until } from '../support/until'

const d = endAfterAll(await deployPages())
await introduce(d)
// Links to cards start with the workspace's address, which is requested once and awaited only briefly.
const { id } = await submit(d, { name: 'First' })
await until('the address', async () => (
  (await (await fetch(`${d.server.url}/api/submissions/${id}`)).text()).includes('slack.com/archives')
))
afterEach(() => { d.resend.fault = () => undefined })
// A refusal is an answer, but browsers report its status.
usePages({ expected: /status of (400|404|409|410)/ })

const FORM = {
  name: 'Ada Lovelace', quantity: 2,
  order: {
    items: [{ sku: 'AE-1', count: 2 }], address: { 'city': 'London', 'note': 'ring twice', '': 'gate', 'floor': '' },
  },
  essay: 'Dear team,\n'.repeat(40), html: '<img src=x onerror="document.title=\'owned\'">',
}
const open = (id: string) => page.goto(`${d.server.url}/submissions/${id}`)
/** Blocks the page's reloads: it learns of changes only from the answer to a decision. */
const deafen = (tab: Page, id: string) => tab.route(`**/api/submissions/${id}`, () => {})
const edit = (input: number) => page.getByTestId(`edit-f${input}`)

test('shows every field in full, values as text, objects as a tree, and what happened', async () => {
  const { id } = await submit(d, FORM)
  await open(id)
  const field = (label: string) => page.getByTestId('submission-field').filter({ hasText: label })
  await field('name').getByText('Ada Lovelace').waitFor()
  expect(await field('html').textContent()).toContain('<img src=x onerror="document.title=\'owned\'">')
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.title()).not.toBe('owned')
  await field('order').getByText('London').waitFor()
  // Like in the email: counting starts at 1, and an empty name or value gets a placeholder.
  expect(await field('order').locator('summary').allTextContents()).toEqual(
    ['items 1 item', '1. 2 fields', 'address 4 fields'].map(text => expect.stringMatching(text.replace(' ', '\\s*'))),
  )
  await field('order').getByText('(no name)').waitFor()
  await field('order').getByText('empty').waitFor()
  await field('order').locator('summary').filter({ hasText: '1 item' }).click()
  await field('order').getByText('AE-1').waitFor({ state: 'detached' })
  const folded = (await field('essay').textContent())!.length
  await field('essay').getByRole('button', { name: 'Show all 440 characters' }).click()
  expect((await field('essay').textContent())!.length).toBeGreaterThan(folded + 200)
  await page.getByTestId('history').getByText('Card posted on Slack').waitFor()
  expect(await page.getByTestId('card-link').getAttribute('href')).toContain('slack.com/archives/C000000001/p')
})

test('edits and forwards: errors stand under their field, and the card names who it was', async () => {
  const { id, card } = await submit(d, FORM)
  await open(id)
  await page.getByTestId('decide-edit').click()
  await edit(0).fill('Grace Hopper')
  await edit(2).fill('{"items": [')
  await page.getByTestId('edit-submit').click()
  await page.getByText('This field is a JSON object.').waitFor()
  expect(await edit(0).inputValue()).toBe('Grace Hopper')
  await screenshot(page, 'edit-error')
  await edit(2).fill('{"items": []}')
  await page.getByTestId('edit-submit').click()
  await page.getByText('This submission is done').waitFor()
  expect(await page.getByTestId('submission-ended').textContent()).toMatch(/Edited and forwarded by Local on Ops page/)
  await d.server.drain()
  expect(JSON.stringify((await cardNow(d, card)).blocks)).toContain('Edited and forwarded by Local on Ops page')
  const posted = JSON.parse(d.endpoint.requests.at(-1)!.body) as typeof FORM
  expect(posted).toEqual({ ...FORM, name: 'Grace Hopper', order: { items: [] } })
})

test('keeps what was typed when a decision that came first is taken back, and forwards it then', async () => {
  const { id } = await submit(d, FORM)
  await d.server.drain()
  await open(id)
  await page.getByTestId('decide-edit').click()
  await edit(0).fill('Typed with care')
  const reviewer = { id: 'U1', name: 'Ada Lovelace', platform: 'Slack' }
  await become(d.redis.url, id, {
    state: 'settled', decision: { action: 'spam', reviewer, at: Date.now() }, revocableUntil: Date.now() + 60_000,
  })
  await page.getByTestId('refusal').getByText(/Marked as spam by Ada/).waitFor()
  await page.getByTestId('reopen').click()
  await page.getByTestId('refusal').waitFor({ state: 'detached' })
  expect(await edit(0).inputValue()).toBe('Typed with care')
  await page.getByTestId('edit-submit').click()
  await page.getByText('This submission is done').waitFor()
  await d.server.drain()
  expect(JSON.parse(d.endpoint.requests.at(-1)!.body)).toMatchObject({ name: 'Typed with care' })
})

test('an email that came back is sent again to another address, and what is over shows it and can be erased', async () => {
  const { id } = await submit(d, { name: 'Bounced Bea' })
  await d.server.drain()
  const receipt = { verdict: 'bounced', reason: 'mailbox does not exist' } as const
  await become(d.redis.url, id, {
    failures: [{ delivery: 'email', reason: 'Bounced: mailbox does not exist.' }], delivered: ['endpoint'],
    sent: [{ delivery: 'email', content: 'x', to: ['triage@example.com'], at: Date.now(), messageId: 'm1', receipt }],
    history: [{ at: Date.now(), event: 'received' }, { at: Date.now(), event: 'receipt', receipt }],
  })
  await open(id)
  await page.getByTestId('history').locator('[class*="mail-x"]').waitFor()
  await screenshot(page, 'submission-bounced')
  await page.getByTestId('decide-resend').click()
  expect(await page.getByTestId('resend-to').inputValue()).toBe('triage@example.com')
  await page.getByTestId('resend-to').fill('nobody')
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').getByText(/This is not an email address/).waitFor()
  await screenshot(page, 'submission-send-again')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByTestId('resend-to').fill('grace@example.com')
  await page.getByTestId('confirm').click()
  await page.getByTestId('submission-ended').getByText(/Sent to grace@example.com/).waitFor()
  const sent = (await d.resend.emails()).filter(({ html }) => html.includes(id))
  expect(sent.map(({ to }) => to)).toEqual([['grace@example.com']])
  await d.server.drain()
  await page.reload()
  await page.getByTestId('submission-ended').waitFor()
  await screenshot(page, 'submission-over')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByTestId('erase').click()
  await page.getByTestId('confirm').click()
  await page.getByTestId('submission-ended').getByText(/^Erased by Local/).waitFor()
})

test('asks before it forwards or marks as spam', async () => {
  const spam = await submit(d, FORM)
  await open(spam.id)
  await page.getByTestId('decide-spam').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByTestId('decide-spam').click()
  await page.getByTestId('confirm').click()
  await page.getByTestId('submission-ended').getByText(/Marked as spam by Local/).waitFor()

  const forward = await submit(d, FORM)
  await open(forward.id)
  await page.getByTestId('decide-forward').click()
  expect(await page.getByRole('dialog').textContent()).toContain('triage@example.com')
  await page.getByTestId('confirm').click()
  await page.getByTestId('submission-ended').getByText(/Forwarded by Local/).waitFor()
})

test('whoever is too late to mark as spam is told who was faster, while asked and after confirming', async () => {
  const seen = await submit(d, FORM)
  await open(seen.id)
  await page.getByTestId('decide-spam').click()
  await page.getByTestId('confirm').waitFor()
  await click(d, seen.card, 'forward', seen.id)
  const dialog = page.getByRole('dialog')
  await dialog.getByTestId('refusal').getByText(/Forwarded by Ada Lovelace on Slack/).waitFor()
  await screenshot(page, 'decision-late')
  expect(await seriousFindings(page)).toEqual([])
  expect(await dialog.getByTestId('confirm').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Close' }).first().click()
  await page.getByTestId('submission-ended').getByText(/Forwarded by Ada Lovelace on Slack/).waitFor()

  // A page without events learns of the decision from the answer.
  await page.route('**/api/submissions/events*', route => route.abort())
  const unseen = await submit(d, FORM)
  await open(unseen.id)
  await page.getByTestId('decide-spam').click()
  await deafen(page, unseen.id)
  await click(d, unseen.card, 'forward', unseen.id)
  await page.getByTestId('confirm').click()
  await dialog.getByTestId('refusal').getByText(/Forwarded by Ada Lovelace on Slack/).waitFor()
  expect(await dialog.getByTestId('confirm').count()).toBe(0)
  expect(await page.getByTestId('notice').count()).toBe(0)
  await page.close()
  problems.splice(0)
})

test('of two tabs that forward, one is told that it came too late', async () => {
  const { id } = await submit(d, FORM)
  // A tab of another browser: tabs of one browser may notify each other.
  const other = await browser.newPage()
  const tabs = [page, other]
  for (const tab of tabs) {
    // Neither tab gets events.
    await tab.route('**/api/submissions/events*', route => route.abort())
    await tab.goto(`${d.server.url}/submissions/${id}`)
    await tab.getByTestId('decide-forward').click()
    await tab.getByTestId('confirm').waitFor()
    await deafen(tab, id)
  }
  await Promise.all(tabs.map(tab => tab.getByTestId('confirm').click()))
  await until('one refusal', async () => await page.getByTestId('refusal').count()
    + await other.getByTestId('refusal').count() === 1)
  const emails = async () => (await d.resend.emails()).filter(({ html }) => html.includes(id))
  await until('the email', async () => (await emails()).length > 0)
  await d.server.drain()
  expect(await emails()).toHaveLength(1)
  await Promise.all(tabs.map(tab => tab.close()))
  problems.splice(0)
})

test('a stuck delivery is shown with its attempts, and is done once it arrives', async () => {
  d.resend.fault = ({ path }) => path === '/emails' ? { status: 500 } : undefined
  const { id } = await submit(d, { name: 'Stuck Sally' })
  await open(id)
  await page.getByTestId('decide-forward').click()
  await page.getByTestId('confirm').click()
  await page.getByTestId('problem').getByText(/Next attempt/).waitFor()
  await page.getByTestId('history').getByText('Email failed').first().waitFor()
  await page.getByTestId('history').getByText('Endpoint delivered').waitFor()
  expect(await page.getByTestId('decide-forward').count()).toBe(0)
  d.resend.fault = () => undefined
  await page.getByTestId('submission-ended').getByText(/Forwarded by Local/).waitFor()
})

test('an unknown submission is told from one that is done', async () => {
  await open('never-was')
  await page.getByText('No such submission').waitFor()
  // The service cannot know if it ever existed.
  await page.getByText('or its id is wrong').waitFor()
})

test('fits a phone, and axe finds nothing serious in light or dark, reading or editing', async () => {
  const { id } = await submit(d, { ...FORM, wide: 'x'.repeat(300) })
  await page.setViewportSize({ width: 375, height: 812 })
  await open(id)
  await page.getByTestId('card-link').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html.${colorScheme}`).waitFor()
    await fits(page)
    expect(await seriousFindings(page)).toEqual([])
    await page.getByTestId('decide-edit').click()
    await page.getByTestId('edit-form').waitFor()
    await fits(page)
    expect(await seriousFindings(page)).toEqual([])
    await page.getByTestId('edit-cancel').click()
  }
})
