import type { Dialog } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { seed, waiting } from '../support/seed'
import { until } from '../support/until'

// A user who leaves before an answer stays on the new page, and is told the result there.

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h' }))
usePages()

const send = (data: unknown) => submitForm(d.server, data)
const shown = () => /submissions\/([^/#]+)/.exec(page.url())?.[1]
const warnsBeforeClosing = () => (
  page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))')
)
const stateOf = async (id: string) => (
  (await (await fetch(`${d.server.url}/api/submissions/${id}`)).json() as { state: string }).state
)
const failing = (status: number, code: string, error: string) => ({ status, json: { error, code } })
const toList = () => page.getByRole('link', { name: 'All submissions' }).click()
const focused = () => page.evaluate<string | null>('document.activeElement.dataset.testid ?? null')
/** Gives the effects of an answer time to happen. */
const settled = () => page.evaluate('new Promise(resolve => setTimeout(resolve, 500))')

test('whoever leaves before a decision is answered is told what came of it where they are, and stays there', async () => {
  const id = await send({ name: 'Ines', message: 'Away' })
  const path = `**/${id}/decision`
  for (const [answer, says] of [
    [failing(503, 'STORE_UNAVAILABLE', 'The store does not answer.'), 'It was not decided'],
    [failing(423, 'TAKEN', 'Ada has it.'), 'It was not decided'], [null, 'Marked as spam.'],
  ] as const) {
    await page.goto(`${d.server.url}/submissions/${id}`)
    await page.getByTestId('decide-spam').waitFor()
    const release = await holdRequests(page, path, route => answer ? route.fulfill(answer) : route.continue())
    const asked = page.waitForRequest(path)
    await page.keyboard.press('s')
    await asked
    await toList()
    await page.getByTestId('search').click()
    release()
    await page.getByText(says).first().waitFor()
    if (answer) await page.getByText(answer.json.error).first().waitFor()
    await settled()
    expect([shown(), await focused()]).toEqual([undefined, 'search'])
    await page.unroute(path)
  }
  expect(problems.splice(0)).toEqual([expect.stringContaining('503'), expect.stringContaining('423')])
})

test('what was typed is thrown away by who says so alone, whether they press Cancel or leave', async () => {
  const id = await send({ name: 'Typed Tom' })
  const asked: string[] = []
  let isSure = false
  const answer = (dialog: Dialog) => {
    asked.push(dialog.message())
    void (isSure ? dialog.accept() : dialog.dismiss())
  }
  page.on('dialog', answer)
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByTestId('decide-edit').click()
  const field = page.getByTestId('edit-f0')
  await field.fill('Typed with care')
  for (const leave of [() => page.getByTestId('edit-cancel').click(), toList]) {
    await leave()
    expect([shown(), await field.inputValue()]).toEqual([id, 'Typed with care'])
  }
  isSure = true
  await page.getByTestId('edit-cancel').click()
  await field.waitFor({ state: 'detached' })
  expect(asked).toEqual(Array.from({ length: 3 }, () => 'Throw away what you typed?'))
  await page.getByTestId('decide-edit').click()
  expect(await field.inputValue()).toBe('Typed Tom')
  await page.getByTestId('edit-cancel').click()
  await field.waitFor({ state: 'detached' })
  expect(asked).toHaveLength(3)
  page.off('dialog', answer)
})

test.each([['as they were asked for', [0, 1]], ['the last one first', [1, 0]]])(
  'of two answers that come %s the last decision alone is offered to be taken back', async (_, order) => {
    const ids: string[] = []
    for (const name of ['Una', 'Ugo', 'Ute']) ids.unshift(await send({ name, message: `Order ${order.join('')}` }))
    await page.goto(`${d.server.url}/?q=${encodeURIComponent(`"order ${order.join('')}"`)}`)
    await page.getByTestId('row').nth(2).waitFor()
    await page.getByTestId('row').first().getByRole('link').first().press('Enter')
    const releases: (() => void)[] = []
    for (const [at, id] of ids.slice(0, 2).entries()) {
      await page.locator(`[data-next="${ids[at + 1]}"]`).waitFor()
      releases.push(await holdRequests(page, `**/${id}/decision`, route => route.continue()))
      await page.keyboard.press('s')
      await page.locator('main').getByText(ids[at + 1]!).waitFor()
    }
    // A submission whose decision is pending is not offered as the next one.
    await settled()
    expect(await page.locator('[data-next]').count()).toBe(0)
    const undo = page.getByTestId('notice').getByRole('button', { name: 'Undo' })
    for (const at of order) {
      const answered = page.waitForResponse(`**/${ids[at]}/decision`)
      releases[at]!()
      await answered
      await page.getByTestId('notice').getByText('Marked as spam').waitFor()
      await settled()
      expect(await undo.count()).toBe(at === 1 || order[0] === 1 ? 1 : 0)
    }
    await undo.click()
    await until('the undo', async () => await stateOf(ids[1]!) === 'waiting')
    expect(await stateOf(ids[0]!)).toBe('spam')
  },
)

test('an edit that was sent is told of, whoever left its form', async () => {
  page.on('dialog', dialog => dialog.accept())
  const id = await send({ name: 'Ivan', message: 'Edited' })
  const path = `**/${id}/decision`
  for (const leave of [toList, () => page.getByTestId('edit-cancel').click()]) {
    await page.goto(`${d.server.url}/submissions/${id}`)
    await page.getByTestId('decide-edit').click()
    await page.getByTestId('edit-f0').fill('Ivo')
    const answer = failing(503, 'STORE_UNAVAILABLE', 'The store does not answer.')
    const release = await holdRequests(page, path, route => route.fulfill(answer))
    const asked = page.waitForRequest(path)
    await page.getByTestId('edit-submit').click()
    await asked
    await leave()
    await page.getByTestId('edit-form').waitFor({ state: 'detached' })
    release()
    await page.getByText('It was not decided').first().waitFor()
    await page.unroute(path)
  }
  expect(problems.splice(0)).toEqual([expect.stringContaining('503'), expect.stringContaining('503')])
})

test('whoever leaves while the next one is looked for stays where they went', async () => {
  const [second, first] = [await send({ message: 'Lookout' }), await send({ message: 'Lookout' })]
  await page.goto(`${d.server.url}/?q=lookout`)
  await page.getByTestId('row').nth(1).waitFor()
  const release = await holdRequests(page, `**/api/submissions/${second}`, route => route.continue())
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  await page.locator('main').getByText(first).waitFor()
  await page.getByTestId('decide-spam').waitFor()
  await page.keyboard.press('s')
  await page.getByTestId('notice').getByText('Marked as spam.').waitFor()
  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor()
  const answered = page.waitForResponse(`**/api/submissions/${second}`)
  release()
  await answered
  await settled()
  expect(page.url()).toBe(`${d.server.url}/status`)
})

test('what was typed into the search a moment ago does not lead back from the submission that was opened', async () => {
  const id = await send({ name: 'Quinn', message: 'Quickly' })
  await page.goto(d.server.url)
  await page.locator(`[data-id="${id}"] a`).first().waitFor()
  await page.evaluate(`(() => {
    const search = document.querySelector('[data-testid=search]')
    search.value = 'quick'
    search.dispatchEvent(new Event('input', { bubbles: true }))
    document.querySelector('[data-id="${id}"] a').click()
  })()`)
  await page.getByTestId('history').waitFor()
  await settled()
  expect(shown()).toBe(id)
})

test('whoever leaves while many are decided is asked before, and told what was not decided', async () => {
  await seed(d.redis.url, Array.from({ length: 50 }, () => waiting({ cards: [], data: { name: 'Left' } })))
  await page.goto(`${d.server.url}/status`)
  await page.getByRole('link', { name: 'Submissions', exact: true }).click()
  await page.getByTestId('search').fill('Left')
  await page.waitForURL('**/?q=Left')
  await page.getByTestId('total').filter({ hasText: /^\s*50 of/ }).waitFor()
  await page.getByTestId('select-page').click()
  const asked: number[] = []
  const gate = Promise.withResolvers<undefined>()
  await page.route('**/api/submissions/decisions', async (route) => {
    asked.push((route.request().postDataJSON() as { ids: string[] }).ids.length)
    if (asked.length === 2) await gate.promise
    await route.continue()
  })
  await page.getByTestId('many-spam').click()
  await page.getByTestId('confirm').click()
  await page.getByRole('dialog').getByText('20 of 50').waitFor()
  expect(await warnsBeforeClosing()).toBe(true)
  const back = async () => {
    const question = page.waitForEvent('dialog')
    await page.evaluate('history.back()')
    return question
  }
  await (await back()).dismiss()
  await page.waitForURL('**/?q=Left')
  await page.getByRole('dialog').getByText('20 of 50').waitFor()
  await (await back()).accept()
  await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor()
  gate.resolve(undefined)
  await page.getByText('40 of 50 marked as spam').first().waitFor()
  await page.getByText('10 submissions are as before.').first().waitFor()
  expect(asked).toEqual([20, 20])
  expect(await warnsBeforeClosing()).toBe(false)
})

test('whoever goes on is told where it cannot be looked up what comes next', async () => {
  await seed(d.redis.url, Array.from({ length: 51 }, () => waiting({ data: { name: 'Onward' } })))
  await page.goto(`${d.server.url}/?q=Onward`)
  await page.getByTestId('total').filter({ hasText: /^\s*51 of/ }).waitFor()
  const away = failing(503, 'STORE_UNAVAILABLE', 'The store does not answer.')
  await page.route('**/api/submissions/search', route => route.fulfill(away))
  await page.getByTestId('row').nth(49).getByRole('link').first().press('Enter')
  await page.getByTestId('history').waitFor()
  const last = shown()
  await page.keyboard.press('j')
  await page.getByText('The next submission cannot be looked for just now').first().waitFor({ timeout: 5000 })
  expect(shown()).toBe(last)
  await page.unroute('**/api/submissions/search')
  await page.keyboard.press('j')
  await page.waitForURL(url => !url.pathname.endsWith(last!))
  expect(problems.splice(0).filter(text => !text.includes('503'))).toEqual([])
})

test('a list that is loaded again is where it was, and begins at its top elsewhere', async () => {
  // Rows out of sight have an estimated height; these are higher.
  const data = (index: number) => ({ name: 'Reloaded', message: index % 3 ? 'Short' : 'Two lines of text. '.repeat(9) })
  await seed(d.redis.url, Array.from({ length: 60 }, (_, index) => waiting({ data: data(index) })))
  await page.goto(`${d.server.url}/?q=Reloaded`)
  const row = (index: number) => page.getByTestId('row').nth(index)
  await row(49).waitFor()
  for (const index of [12, 20, 28, 36, 44]) {
    await row(index).evaluate(element => element.scrollIntoView())
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  const topNow = 'document.querySelectorAll("[data-testid=row]")[44].getBoundingClientRect().top'
  await page.evaluate(`addEventListener('pagehide', () => sessionStorage.setItem('stood', ${topNow}))`)
  await page.reload()
  await row(49).waitFor()
  const isThere = () => page.evaluate<boolean>(`Math.abs(${topNow} - sessionStorage.getItem('stood')) < 2`)
  await until('the place', isThere, 5000)
  await page.getByTestId('older').press('Enter')
  await page.getByTestId('page-number').getByText('Page 2').waitFor()
  await until('the top', () => page.evaluate<boolean>('scrollY === 0'), 5000)
})
