import { expect, test } from 'vitest'
import { holdRequests } from '../support/browser'
import { click, submit, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { seed, series } from '../support/seed'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

// No accidental decisions: on submissions assigned to others, on those decided meanwhile, or by a key that is held
// down.

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1' }))
usePages({ expected: /status of 423/ })

/** Sends these forms, and opens the list with only them; resolves with their ids from the top, newest first. */
async function listed(message: string, names: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) ids.unshift(await submitForm(d.server, { name, message }))
  await openList(message, names.length)
  return ids
}

async function openList(message: string, rows: number): Promise<void> {
  await page.goto(`${d.server.url}/?q=${message}`)
  await page.getByTestId('row').nth(rows - 1).waitFor()
}

const openFirst = () => page.getByTestId('row').first().getByRole('link').first().press('Enter')
const isNext = (id: string) => page.locator(`[data-next="${id}"]`).waitFor()
const shown = () => /submissions\/([^/#]+)/.exec(page.url())?.[1]

/** Decides it as another user. */
async function decideElsewhere(id: string): Promise<void> {
  const { status } = await postJson(`${d.server.url}/api/submissions/${id}/decision`, '{"action":"spam"}')
  expect(status).toBe(200)
}

test('who decides what another one has reads so where it is shown, and agrees, before the next one comes', async () => {
  const [next] = await listed('heldback', ['Next'])
  const { id, card } = await submit(d, { name: 'Of Ada', message: 'heldback' })
  await click(d, card, 'take', id)
  await openList('heldback', 2)
  await openFirst()
  await isNext(next!)
  await page.keyboard.press('s')
  await page.getByTestId('refusal').getByText(/Ada Lovelace \(Slack\) has it since/).waitFor()
  expect(shown()).toBe(id)
  await page.getByTestId('confirm').click()
  await page.locator('main').getByText(next!).waitFor()
})

test('what somebody else decided is not selected any more', async () => {
  const [first] = await listed('selected', ['Ken', 'Kim', 'Kai'])
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  await decideElsewhere(first!)
  await page.getByTestId('row').nth(2).waitFor({ state: 'detached' })
  await page.getByText('1 selected').waitFor()
})

test('what somebody else decided meanwhile does not come next', async () => {
  const [, second, third] = await listed('meanwhile', ['Lou', 'Lea', 'Leo'])
  const asked = page.waitForRequest(`**/api/submissions/${second}`)
  const release = await holdRequests(page, `**/api/submissions/${second}`, route => route.continue())
  await openFirst()
  await asked
  await decideElsewhere(second!)
  release()
  await isNext(third!)
})

test('what is selected stays so while other rows are shown', async () => {
  await listed('kept', ['Max', 'Mia'])
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.getByTestId('filter-mine').click()
  await page.getByTestId('row').first().waitFor({ state: 'detached' })
  await page.getByTestId('filter-mine').click()
  await page.getByTestId('row').nth(1).waitFor()
  expect(await page.getByText('1 selected').count()).toBe(1)
})

test('what was found for a filter that was left is not listed under the next one', async () => {
  await listed('leftover', ['Oda'])
  const held: (() => void)[] = []
  await page.route('**/api/submissions/search', async (route) => {
    await new Promise<void>(resolve => held.push(resolve))
    await route.continue()
  })
  await page.getByTestId('filter-free').click()
  await until('the first question', () => held.length === 1)
  await page.getByTestId('filter-held').click()
  held[0]!()
  await until('the next question', () => held.length === 2)
  expect(await page.getByRole('region', { name: 'Held submissions' }).count()).toBe(0)
  held[1]!()
  await page.getByRole('region', { name: 'Held submissions' }).waitFor()
  expect(await page.getByTestId('row').count()).toBe(0)
})

test('keys that decide leave alone what is decided', async () => {
  const [id] = await listed('decided', ['Ned'])
  await decideElsewhere(id!)
  await page.goto(`${d.server.url}/?state=spam&q=decided`)
  await page.getByTestId('row').waitFor()
  for (const key of ['f', 's', 't', 'Enter']) await page.keyboard.press(key)
  await page.locator('main').getByText(id!).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a key that is held decides once, and not what comes next', async () => {
  const [first, second, third] = await listed('held', ['Pia', 'Pam', 'Pol'])
  const asked: string[] = []
  page.on('request', request => request.url().endsWith('/decision') && asked.push(request.url().split('/').at(-2)!))
  await openFirst()
  await isNext(second!)
  await page.keyboard.down('s')
  await page.locator('main').getByText(second!).waitFor()
  await isNext(third!)
  // All but the first keydown are repetitions.
  for (let time = 0; time < 5; time++) await page.keyboard.down('s')
  await page.keyboard.up('s')
  await page.keyboard.press('s')
  await page.locator('main').getByText(third!).waitFor()
  expect(asked).toEqual([first, second])
})

test('a page of the list is not called the only one while another follows', async () => {
  const all = series(51)
  await seed(d.redis.url, all)
  await page.goto(d.server.url)
  const number = page.getByTestId('page-number')
  const isPage = (place: string) => number.getByText(`Page ${place}`, { exact: true }).waitFor()
  await isPage('1 of 2')
  // Wait for a live change first: a list not yet connected would be loaded again, and be full.
  const heard = await submitForm(d.server, { name: 'Heard of' })
  await page.locator(`[data-id="${heard}"]`).waitFor()
  const { total } = await (await fetch(`${d.server.url}/api/submissions`)).json() as { total: number }
  const ids = all.slice(-(total - 49)).map(({ id }) => id)
  await postJson(`${d.server.url}/api/submissions/decisions`, { ids, action: 'spam' })
  await page.getByTestId('total').getByText('49 pending').waitFor()
  await isPage('1 of 2')
  await page.getByTestId('older').click()
  await isPage('2 of 2')
  expect(await page.getByTestId('older').isEnabled()).toBe(false)
})
