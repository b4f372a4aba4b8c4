import { expect, test } from 'vitest'
import { holdRequests, screenshot } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { until } from '../support/until'
import { wholeList } from '../support/whole-list'

// The page moves on before a decision is answered, and shows no notice before the answer.

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1' }))
usePages({ expected: /ERR_FAILED/ })

const send = (data: unknown) => submitForm(d.server, data)
const states = async (state: string) => (
  (await wholeList(d.server.url, `limit=100&state=${state}`)).rows.map(({ id }) => id)
)
const shown = () => /submissions\/([^/#]+)/.exec(page.url())?.[1]
/** Waits until the page knows the next submission: a decision before that waits for its answer. */
const isNext = (id: string) => page.locator(`[data-next="${id}"]`).waitFor()
const warnsBeforeClosing = () => (
  page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))')
)
const allDone = () => page.getByTestId('all-done')

test('the next one is shown before a decision is answered, which is told of no sooner, and waits again where it failed', async () => {
  // The newest comes first.
  const behind = () => send({ tag: 'behind' })
  const [third, second, first] = [await behind(), await behind(), await behind()]
  await page.goto(`${d.server.url}/?q=behind`)
  await page.getByTestId('row').nth(2).waitFor()
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  await isNext(second)
  expect(shown()).toBe(first)

  let release = await holdRequests(page, `**/${first}/decision`, route => route.continue())
  await page.keyboard.press('s')
  await page.locator('main').getByText(second).waitFor()
  expect(await page.getByTestId('notice').count()).toBe(0)
  // Undo does nothing while the decision is unanswered.
  await page.keyboard.press('z')
  release()
  await page.getByTestId('notice').getByText('Marked as spam').waitFor()
  await pictures(page, 'hands-notice')

  await page.route(`**/${second}/decision`, route => route.fulfill({
    status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' },
  }), { times: 1 })
  await isNext(third)
  await page.keyboard.press('s')
  await page.locator('main').getByText(third).waitFor()
  await page.getByText('It was not decided').first().waitFor()
  await page.getByText('The store does not answer.').first().waitFor()
  expect(problems.splice(0)).toEqual([expect.stringContaining('503')])

  // It is the next one again; "all done" appears after the last answer.
  await page.keyboard.press('k')
  await page.locator('main').getByText(second).waitFor()
  await isNext(third)
  await page.keyboard.press('s')
  await page.locator('main').getByText(third).waitFor()
  release = await holdRequests(page, `**/${third}/decision`, route => route.continue())
  const asked = page.waitForRequest(`**/${third}/decision`)
  await page.keyboard.press('s')
  await asked
  expect(await allDone().count()).toBe(0)
  release()
  await allDone().waitFor()
  const spam = await states('spam')
  expect([first, second, third].filter(id => !spam.includes(id))).toEqual([])
})

test('the printed list says since when somebody has one, with day and zone', async () => {
  await send({ name: 'Zoe' })
  await page.goto(d.server.url)
  const first = page.getByTestId('row').first()
  const holder = first.getByTestId('holder')
  await first.waitFor()
  // By then the page knows that assignment is on.
  await page.getByTestId('filter-mine').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('t')
  expect(await holder.innerText()).toMatch(/^Local has it \(Ops page, \d\d:\d\d [AP]M\)$/)
  await page.emulateMedia({ media: 'print' })
  await until('day and zone', async () => (
    /\(Ops page, \w{3} \d{1,2}, 20\d\d, \d\d:\d\d [AP]M UTC\)$/.test(await holder.innerText())
  ))
  // On the current row, the buttons do not overlap the times, nor the times the cards.
  const times = await first.locator('time').filter({ visible: true }).all()
  const [column, ...places] = await Promise.all([first.locator('dl'), ...times].map(each => each.boundingBox()))
  expect(places.filter(time => time!.x >= column!.x - 1)).toHaveLength(2)
  // The print has no controls and no live indicator.
  const pressed = page.locator('[type=checkbox], [type=search], [data-testid=liveness]')
  expect(await pressed.filter({ visible: true }).count()).toBe(0)
  await screenshot(page, 'hands-print')
})

test('what was decided before the next one was shown is sent however far somebody went on meanwhile, once', async () => {
  const ids: string[] = []
  for (const name of ['Rex', 'Roy', 'Ray']) ids.unshift(await send({ name, message: 'Onwards' }))
  const [first, second, third] = ids as [string, string, string]
  await page.goto(`${d.server.url}/?q=onwards`)
  await page.getByTestId('row').nth(2).waitFor()
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  await isNext(second)
  await page.route(`**/${first}/decision`, async route => void await route.fetch().then(() => route.abort()))
  const failed = page.waitForEvent('requestfailed')
  await page.keyboard.press('s')
  await page.locator('main').getByText(second).waitFor()
  await failed
  await page.getByTestId('no-connection').getByText('What you did is sent, once').waitFor()
  await page.keyboard.press('j')
  await page.locator('main').getByText(third).waitFor()
  expect(await warnsBeforeClosing()).toBe(true)
  await page.unroute(`**/${first}/decision`)
  await page.getByTestId('notice').getByText('Marked as spam').waitFor()
  expect(await warnsBeforeClosing()).toBe(false)
  const { history } = await (await fetch(`${d.server.url}/api/submissions/${first}`)).json() as {
    history: { event: string }[]
  }
  expect(history.filter(({ event }) => event === 'claimed')).toHaveLength(1)
})

test('the key that takes back is of what is shown, not of what was decided last, and stands once in help and palette', async () => {
  const ids: string[] = []
  for (const name of ['Ida', 'Ivo', 'Ina']) ids.unshift(await send({ name, message: 'Backwards' }))
  const [first, second, third] = ids as [string, string, string]
  await page.goto(`${d.server.url}/?q=backwards`)
  await page.getByTestId('row').nth(2).waitFor()
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  for (const next of [second, third]) {
    await isNext(next)
    await page.keyboard.press('s')
    await page.locator('main').getByText(next).waitFor()
  }
  await until('both decisions', async () => (await states('spam')).filter(id => ids.includes(id)).length === 2)
  await page.getByTestId('notice').getByText('Marked as spam').waitFor()
  for (const before of [second, first]) {
    await page.keyboard.press('k')
    await page.locator('main').getByText(before).waitFor()
    await page.getByTestId('reopen').waitFor()
  }

  const keys = (inside: string) => page.getByTestId(inside).locator('kbd').getByText('z', { exact: true })
  for (const [key, inside] of [['?', 'shortcuts'], ['Control+k', 'palette']] as const) {
    await page.keyboard.press(key)
    await page.getByTestId(inside).getByText('Not spam').waitFor()
    expect(await keys(inside).count(), inside).toBe(1)
    // Check the visible text, not only the markup: a capital Z is another key.
    expect(await keys(inside).innerText(), inside).toBe('z')
    await page.keyboard.press('Escape')
    await page.getByTestId(inside).waitFor({ state: 'detached' })
  }

  await page.keyboard.press('z')
  await page.getByTestId('notice').getByText('Open again. The cards follow.').waitFor()
  const spam = await states('spam')
  expect(ids.filter(id => spam.includes(id))).toEqual([second])
})

/** Presses the mouse in place; 2 for the second click within a moment, as browsers report it. */
async function press(clickCount: 1 | 2) {
  await page.mouse.down({ clickCount })
  await page.mouse.up({ clickCount })
}

/** Records the ids of submissions whose decisions are requested. */
function decisions(): string[] {
  const asked: string[] = []
  page.on('request', request => asked.push(/submissions\/([^/]+)\/decision/.exec(request.url())?.[1] ?? ''))
  return asked
}

test('a double click decides one submission, and not the next', async () => {
  const [second, first] = [await send({ tag: 'double' }), await send({ tag: 'double' })]
  await page.goto(`${d.server.url}/?q=double`)
  await page.getByTestId('row').nth(1).waitFor()
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  await isNext(second)
  const asked = decisions()
  await page.getByTestId('decide-spam').hover()
  await press(1)
  await page.locator('main').getByText(second).waitFor()
  await page.getByTestId('decide-spam').waitFor()
  await press(2)
  await page.evaluate('new Promise(requestAnimationFrame)')
  expect(asked.filter(Boolean)).toEqual([first])
  // A separate click is intended.
  const sent = page.waitForRequest(`**/${second}/decision`)
  await press(1)
  await sent
})

test('a double click beside a row decides that row alone', async () => {
  const [second, first] = [await send({ tag: 'beside' }), await send({ tag: 'beside' })]
  await page.goto(`${d.server.url}/?q=beside`)
  await page.getByTestId('row').nth(1).waitFor()
  const asked = decisions()
  await page.getByTestId('row').first().hover()
  await page.getByTestId('row-spam').hover()
  await press(1)
  await page.locator(`[data-id="${second}"] [data-testid=row-spam]:hover`).waitFor({ timeout: 5000 })
  await press(2)
  await page.evaluate('new Promise(requestAnimationFrame)')
  expect(asked.filter(Boolean)).toEqual([first])
})

test('a key that is pressed again before the answer asks once', async () => {
  const id = await send({ tag: 'twice' })
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByTestId('take').waitFor()
  const asked = decisions()
  const release = await holdRequests(page, `**/${id}/decision`, route => route.continue())
  await page.keyboard.press('t')
  await page.keyboard.press('t')
  release()
  await page.getByTestId('hand-back').waitFor()
  expect(asked.filter(Boolean)).toEqual([id])
})
