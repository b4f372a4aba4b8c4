import { afterEach, expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { pressEnter } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { seed, series, waiting } from '../support/seed'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { wholeList } from '../support/whole-list'

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1' }))
usePages({ expected: /status of 404|ERR_(INTERNET_DISCONNECTED|FAILED|CONNECTION|INCOMPLETE|EMPTY)/ })

afterEach(() => page.context().setOffline(false))

const row = (text: string) => page.getByTestId('row').filter({ hasText: text })
const live = () => page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
const said = (title: string) => page.getByTestId('notice').getByText(title).waitFor()
const focused = (text: string) => page.locator('[data-testid=row] a:focus').filter({ hasText: text }).waitFor()
const total = (text: string) => page.getByTestId('total').filter({ hasText: RegExp(`^\\s*${text}`) }).waitFor()
const states = async (state: string, tag: string) => (
  (await wholeList(d.server.url, `limit=100&state=${state}&q=${tag}`)).rows.length
)

test('a reviewer sees forms arrive, and decides them by keys, one by one and together', async () => {
  await page.goto(d.server.url)
  await page.getByTestId('empty').waitFor()
  expect(await page.getByTestId('code').textContent()).toContain('curl https://forms.example.com/api/form')
  await pictures(page, 'empty')
  await live()
  for (const name of ['Zoe', 'Yan', 'Xia', 'Wim']) await submitForm(d.server, { name, message: 'Hello' })
  await row('Wim').waitFor()
  await page.getByTestId('filter-mine').waitFor()
  await page.keyboard.press('j')
  await focused('Wim')
  await page.keyboard.press('s')
  await said('Marked as spam.')
  await focused('Xia')
  await page.keyboard.press('z')
  await row('Wim').waitFor()
  await row('Xia').locator('a').first().focus()
  await page.keyboard.press('t')
  await row('Xia').getByTestId('holder').waitFor()
  await page.keyboard.press('f')
  await pressEnter(page.locator('[data-testid=confirm]:focus'))
  await row('Xia').getByTestId('state').filter({ hasText: 'Waiting' }).waitFor({ state: 'detached' })
  await focused('Yan')

  await page.getByTestId('select-page').click()
  await page.getByTestId('selection').getByText('3 selected').waitFor()
  await pictures(page, 'hands-selected')
  await page.getByTestId('many-spam').click()
  await page.locator('[data-testid=confirm]:focus').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await said('3 submissions marked as spam.')
  await page.getByTestId('notice').getByRole('button', { name: 'Undo' }).click()
  await said('3 submissions are open again.')
  expect(await states('waiting', 'hello')).toBe(3)
})

test('a reviewer filters, searches, keeps a view, and turns pages that a link and a step back lead to', async () => {
  await seed(d.redis.url, [...series(120), waiting({ data: { name: 'Mary <b>Somerville</b>' } })])
  await page.goto(d.server.url)
  await page.getByTestId('filter-failed').click()
  await page.getByTestId('no-match').getByText('Nothing failed').waitFor()
  await page.getByTestId('filter-all').click()
  await page.getByTestId('search').fill('name:"mary <b>"')
  await row('Somerville').locator('mark').getByText('Mary <b>').waitFor()
  await page.getByTestId('search-help').click()
  await page.getByTestId('search-help-panel').getByText('after:2026-11-20').waitFor()
  await page.keyboard.press('Escape')
  await page.getByTestId('options').click()
  await page.getByTestId('filter-oldest').click()
  await page.getByLabel('Name of this view').fill('Marys')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByTestId('view').waitFor()
  await pictures(page, 'list-options')
  await page.goto(`${d.server.url}/?state=done`)
  await page.getByTestId('options').click()
  await page.getByRole('button', { name: 'Marys', exact: true }).click()
  await row('Somerville').waitFor()

  await page.getByTestId('search').fill('person')
  await page.getByTestId('page-number').filter({ hasText: 'Page 1' }).waitFor()
  await total('120 of')
  await pressEnter(page.locator('[data-testid=older]:enabled'))
  await page.getByTestId('page-number').filter({ hasText: 'Page 2' }).waitFor()
  await row('Person 51').first().waitFor()
  await page.reload()
  await row('Person 51').first().waitFor()
  await page.goBack()
  await row('Person 50').first().waitFor()
  expect(new URL(page.url()).search).toBe('?sort=oldest&q=person')
  await page.getByTestId('row').first().getByRole('link').first().click()
  await page.getByRole('link', { name: 'All submissions' }).click()
  await row('Person 50').first().waitFor()
})

test('without a connection keys and words wait, and take effect once; the list catches up when the server is back', async () => {
  for (const name of ['Ida', 'Ivo', 'Ian']) await submitForm(d.server, { name, message: 'Seek and find' })
  await page.goto(`${d.server.url}/?q=seek`)
  await row('Ian').waitFor()
  await live()
  await page.context().setOffline(true)
  await page.keyboard.press('j')
  await page.keyboard.press('t')
  await page.getByTestId('no-connection').getByText('Your action is sent, once').waitFor()
  await pictures(page, 'offline-list')
  await page.context().setOffline(false)
  await row('Ian').getByTestId('holder').waitFor()
  await page.getByTestId('no-connection').waitFor({ state: 'detached' })

  const { url } = d.server
  await d.server.stop()
  await page.getByTestId('liveness').filter({ hasText: 'Not live' }).waitFor()
  await seed(d.redis.url, [waiting({ id: 'while-away', data: { name: 'While Away', message: 'Seek it' } })])
  d.server = Object.assign(await startServer({ ...d.env, PORT: new URL(url).port }), { url })
  await row('While Away').waitFor()
  await live()
  problems.splice(0)
})

test('what comes late moves nothing, and a list that is loaded again is where it was', async () => {
  await page.addInitScript(`moved = 0; new PerformanceObserver(list => list.getEntries().forEach(
    ({ value }) => moved += value)).observe({ type: 'layout-shift', buffered: true })`)
  // Rows out of sight have an estimated height. These rows are taller than the estimate.
  const data = (index: number) => ({ name: 'Reloaded', message: index % 3 ? 'Short' : 'Two lines of text. '.repeat(9) })
  await seed(d.redis.url, Array.from({ length: 60 }, (_, index) => waiting({ data: data(index) })))
  for (const [width, height] of [[1040, 800], [390, 844]] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(d.server.url)
    await page.getByTestId('filter-mine').getByTestId('count').waitFor()
    await live()
    expect(await page.evaluate<number>('moved'), `${width} px`).toBeLessThan(0.01)
  }
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.goto(`${d.server.url}/?q=Reloaded`)
  const place = page.getByTestId('row').nth(44)
  await place.waitFor()
  for (const index of [12, 28, 44]) {
    await page.getByTestId('row').nth(index).evaluate(element => element.scrollIntoView())
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  const topNow = 'document.querySelectorAll("[data-testid=row]")[44].getBoundingClientRect().top'
  await page.evaluate(`addEventListener('pagehide', () => sessionStorage.setItem('stood', ${topNow}))`)
  await page.reload()
  await place.waitFor()
  const isThere = () => page.evaluate<boolean>(`Math.abs(${topNow} - sessionStorage.getItem('stood')) < 2`)
  await until('the place', isThere, 5000)
  await pressEnter(page.getByTestId('older'))
  await page.getByTestId('page-number').getByText('Page 2').waitFor()
  await until('the top', () => page.evaluate<boolean>('scrollY === 0'), 5000)
})
