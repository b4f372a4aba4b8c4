import { expect, test } from 'vitest'
import { screenshot } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { until } from '../support/until'
import { wholeList } from '../support/whole-list'

// The last decision, single or bulk, can be undone from any page.

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', UNDO_SECONDS: '300', TAKE: '1' }))
usePages()

const send = (data: unknown) => submitForm(d.server, data)
const states = async (state: string, tag: string) => (
  (await wholeList(d.server.url, `limit=100&state=${state}&q=${tag}`)).rows.length
)
const takenBack = async () => {
  const { tally } = await (await fetch(`${d.server.url}/api/status`)).json() as {
    tally: { counts: { revoked?: number } }[]
  }
  return tally.reduce((all, { counts: { revoked = 0 } }) => all + revoked, 0)
}
const notice = () => page.getByTestId('notice')
const undo = () => notice().getByRole('button', { name: 'Undo' })

async function list(tag: string, count: number) {
  await page.goto(`${d.server.url}/?q=${tag}`)
  await page.getByTestId('row').nth(count - 1).waitFor()
}

/** Selects all listed submissions, and decides them. */
async function decideAll(what: 'forward' | 'spam') {
  await page.getByTestId('select-page').click()
  await page.getByTestId(`many-${what}`).click()
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('an undo that fails is offered again, until it comes too late', async () => {
  const id = await send({ name: 'Zora', message: 'Undone' })
  await page.goto(`${d.server.url}/?q=undone`)
  await page.getByTestId('row').waitFor()
  await page.getByTestId('filter-mine').waitFor()
  const late = 'Too late: its data is erased.'
  const answers = [
    { status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' } }, null,
    { status: 200, json: { results: [{ id, status: 409, error: late, code: 'ALREADY_DECIDED' }] } },
  ]
  for (const answer of answers) {
    if (await undo().count() === 0) {
      await page.keyboard.press('j')
      await page.keyboard.press('s')
      await undo().waitFor()
    }
    if (answer) await page.route('**/submissions/decisions', route => route.fulfill(answer), { times: 1 })
    await undo().click()
    await page.getByText(answer === null ? 'Your last decision was undone' : answer.json.error ?? late)
      .first().waitFor()
    if (answer === null) await page.getByTestId('row').waitFor()
  }
  expect(await undo().count()).toBe(0)
  expect(problems.splice(0)).toEqual([expect.stringContaining('503')])
})

test('many that were decided at once are taken back at once, on another page too', async () => {
  const before = await takenBack()
  await Promise.all(Array.from({ length: 25 }, (_, index) => send({ tag: 'together', index })))
  await list('together', 25)
  await page.getByTestId('select-page').click()
  await page.getByTestId('many-spam').click()
  await page.getByTestId('confirm').waitFor()
  // Screen readers must announce messages even while the dialog still fades out.
  expect(await page.locator('[data-testid=said]').evaluate<number, { closest(of: string): unknown }>(
    said => said.closest('[aria-hidden=true]') ? 1 : 0,
  )).toBe(0)
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await notice().getByText('25 submissions marked as spam. The cards follow.').waitFor()
  expect(await states('spam', 'together')).toBe(25)
  await pictures(page, 'hands-many-done')
  await undo().click()
  await notice().getByText('25 submissions are open again. The cards follow.').waitFor()
  expect(await states('waiting', 'together')).toBe(25)

  await list('together', 25)
  await decideAll('forward')
  await notice().getByText('25 submissions forwarded. The cards follow.').waitFor()
  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByRole('heading', { name: 'Status' }).first().waitFor()
  await undo().click()
  await notice().getByText('25 submissions are open again. The cards follow.').waitFor()
  expect(await states('waiting', 'together')).toBe(25)
  await page.reload()
  await page.getByTestId('count-revoked').getByText(String(before + 50), { exact: true }).waitFor()
  await screenshot(page, 'status-taken-back')
  expect(d.resend.requests.filter(({ path }) => path === '/emails')).toEqual([])
})

test('the key for the last decision takes back what was decided together, not what was decided before it', async () => {
  const tag = 'in-turn'
  await Promise.all([send({ tag }), send({ tag })])
  await send({ tag, name: 'before' })
  await list(tag, 3)
  const row = page.getByTestId('row').filter({ hasText: 'before' })
  await row.hover()
  await row.getByTestId('row-spam').click()
  await notice().getByText('Marked as spam. The cards follow.').waitFor()
  await page.getByTestId('row').nth(2).waitFor({ state: 'detached' })
  await decideAll('spam')
  await notice().getByText('2 submissions marked as spam. The cards follow.').waitFor()
  await page.keyboard.press('z')
  await notice().getByText('2 submissions are open again. The cards follow.').waitFor()
  expect([await states('spam', 'name:before'), await states('waiting', tag)]).toEqual([1, 2])
})

test('of many that were taken back, those that were not are told of and offered again', async () => {
  const ids = await Promise.all([send({ tag: 'partly' }), send({ tag: 'partly' }), send({ tag: 'partly' })])
  await list('partly', 3)
  await decideAll('spam')
  await page.route('**/submissions/decisions', async (route) => {
    const { ids: [first, ...rest], action } = route.request().postDataJSON() as { ids: string[], action: string }
    const answer = await route.fetch({ postData: JSON.stringify({ ids: rest, action }) })
    const { results } = await answer.json() as { results: object[] }
    const failed = { id: first, status: 503, error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' }
    await route.fulfill({ json: { results: [failed, ...results] } })
  }, { times: 1 })
  await undo().click()
  await page.getByText('Not all of 3 submissions were taken back').first().waitFor()
  await page.getByText('The store does not answer.').first().waitFor()
  expect(await states('waiting', 'partly')).toBe(2)
  await undo().click()
  await notice().getByText('Your last decision was undone').waitFor()
  await until('all of them open', async () => await states('waiting', 'partly') === ids.length)
})
