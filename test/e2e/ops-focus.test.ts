import { expect, test } from 'vitest'
import { holdRequests } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { until } from '../support/until'

// A control that is pressed by key keeps the focus on the page, even if it disappears or is busy for a while.

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1', SANDBOX: '1' }))
usePages({ expected: /status of (404|503)|NUXT_E1005/ })

const away = { status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' } }
const send = (data: object) => submitForm(d.server, data)
const open = (path: string) => page.goto(d.server.url + path)
const heading = () => page.locator('h1:focus')

test('a button whose request failed has the focus again', async () => {
  const id = await send({ name: 'Fay', message: 'Focus' })
  for (const [path, button, asked] of [
    [`/submissions/${id}`, 'take', '**/decision'], ['/setup', 'test-email', '**/api/setup/email'],
  ] as const) {
    await open(path)
    await page.getByTestId(button).waitFor()
    const answered = Promise.withResolvers<undefined>()
    await page.route(asked, route => answered.promise.then(() => route.fulfill(away)))
    await page.getByTestId(button).press('Enter')
    await page.locator('body:focus').or(page.locator('body:not(:has(:focus))')).waitFor()
    answered.resolve(undefined)
    await page.getByText('The store does not answer.').first().waitFor()
    await page.locator(`[data-testid=${button}]:focus`).waitFor({ timeout: 5000 })
    await page.unroute(asked)
  }
  expect(problems).toHaveLength(2)
})

test('a question that was answered in vain has the focus on its answer, and the page again once it is closed', async () => {
  await open(`/submissions/${await send({ name: 'Quint', message: 'Question' })}`)
  await page.getByTestId('decide-forward').press('Enter')
  await page.route('**/decision', route => route.fulfill(away))
  await page.locator('[data-testid=confirm]:focus').press('Enter')
  await page.getByRole('alert').getByText('The store does not answer.').waitFor()
  await page.locator('[data-testid=confirm]:focus', { hasText: 'Try again' }).waitFor({ timeout: 5000 })
  await page.keyboard.press('Escape')
  await page.locator('[data-testid=decide-forward]:focus').waitFor({ timeout: 5000 })
})

test('posting the card again gives the focus to the heading once its button is gone', async () => {
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage'
    ? { status: 200, body: '{"ok":false,"error":"invalid_blocks"}' }
    : undefined
  const id = await send({ name: 'Pia', message: 'Post' })
  await open(`/submissions/${id}`)
  const again = page.getByRole('button', { name: 'Post the card again' })
  await again.waitFor()
  d.slack.fault = () => undefined
  await again.press('Enter')
  await page.getByText('The card is on its way.').first().waitFor()
  await again.waitFor({ state: 'detached' })
  await heading().waitFor({ timeout: 5000 })
})

test('whoever goes on before a card is posted again is told of which submission it is', async () => {
  const [first, second] = [await send({ name: 'Una', message: 'One' }), await send({ name: 'Duo', message: 'Two' })]
  const worst = { what: 'Could not be posted to Slack', reason: 'invalid_blocks', nextAttemptAt: 1, refused: true }
  await page.route(`**/api/submissions/${first}`, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...await answer.json() as object, problem: worst } })
  })
  for (const [status, says] of [[200, 'its card is on its way.'], [503, 'The store does not answer.']] as const) {
    await open(`/submissions/${first}`)
    const release = await holdRequests(page, '**/cards', route => route.fulfill({ ...away, status }))
    await page.getByRole('button', { name: 'Post the card again' }).press('Enter')
    await page.getByRole('link', { name: 'All submissions' }).click()
    await page.locator(`[data-id="${second}"] a`).first().click()
    await page.locator('main').getByText(second).waitFor()
    release()
    await page.getByText(`Submission ${first.slice(0, 8)}: ${says}`).first().waitFor({ timeout: 5000 })
    await page.getByRole('link', { name: 'Open it' }).click()
    await page.locator('main').getByText(first).waitFor()
    await page.unroute('**/cards')
  }
})

test('whoever opens the start page from a page that does not exist is at its heading', async () => {
  await open('/nowhere')
  await page.getByRole('button', { name: 'To the start page' }).press('Enter')
  await page.locator('h1:focus', { hasText: 'Submissions' }).waitFor({ timeout: 5000 })
})

test('whoever goes elsewhere meanwhile, or presses beside a button, is left there', async () => {
  const id = await send({ name: 'Ede', message: 'Elsewhere' })
  await open(`/submissions/${id}`)
  const answered = Promise.withResolvers<undefined>()
  await page.route('**/decision', route => answered.promise.then(() => route.fulfill(away)))
  await page.getByTestId('take').press('Enter')
  await page.locator('[data-testid=take]:disabled').waitFor()
  await page.getByTestId('commands').focus()
  answered.resolve(undefined)
  await page.locator('[data-testid=take]:enabled').waitFor()
  expect(await page.evaluate('document.activeElement.dataset.testid')).toBe('commands')
  await page.getByTestId('take').focus()
  await page.mouse.click(640, 850)
  await page.getByTestId('take').evaluate('button => button.remove()')
  await until('the next task', () => page.evaluate<boolean>('new Promise(done => setTimeout(done, 0, true))'))
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
})

test('what could not be loaded is said at once, and trying again leaves the focus on the button or on what comes', async () => {
  const id = await send({ name: 'Tess', message: 'Try' })
  for (const [path, isSaid] of [
    ['/', true], [`/submissions/${id}`, false], ['/setup', true], ['/sandbox', true],
  ] as const) {
    let answer: Promise<boolean> = Promise.resolve(false)
    await page.route(/\/api\/(submissions|setup|sandbox)/, async (route) => {
      await (await answer ? route.continue() : route.fulfill(away))
    })
    await open(path)
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    // Screen readers announce a heading when it gets the focus.
    const said = isSaid ? page.getByRole('alert') : heading().locator('xpath=..')
    await said.filter({ hasText: 'The store does not answer.' }).waitFor({ timeout: 5000 })
    for (const isBack of [false, true]) {
      const gate = Promise.withResolvers<boolean>()
      answer = gate.promise
      await again.press('Enter')
      await page.locator('button:disabled', { hasText: 'Try again' }).waitFor({ timeout: 5000 })
      gate.resolve(isBack)
      await (isBack ? heading() : page.locator('button:focus', { hasText: 'Try again' })).waitFor({ timeout: 5000 })
    }
    await page.unroute(/\/api\/(submissions|setup|sandbox)/)
  }
})

test('what this deployment offers is asked for until it is known', async () => {
  await send({ name: 'Cora', message: 'Context' })
  await page.route('**/api/ops/context', route => route.fulfill(away), { times: 1 })
  await open('/')
  await page.getByTestId('row').first().waitFor()
  await page.getByTestId('filter-mine').waitFor({ timeout: 10_000 })
  await page.getByRole('link', { name: 'Sandbox', exact: true }).waitFor()
})

test('what a search finds is said, and each arrival anew', async () => {
  for (const name of ['Anna', 'Anne']) await send({ name, message: 'Announced' })
  await open('/')
  await page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
  expect((await page.getByTestId('found').textContent())?.trim()).toBe('')
  await page.getByTestId('search').fill('announced')
  await page.getByTestId('found').getByText(/^2 of \d+ pending\.$/).waitFor({ timeout: 5000 })
  const news = page.locator('main [aria-live=polite] > :not([data-heard])', { hasText: '1 new submission.' })
  for (const name of ['Ansa', 'Antje']) {
    await send({ name, message: 'Announced' })
    await news.waitFor({ timeout: 5000 })
    await news.evaluate('span => span.dataset.heard = "yes"')
  }
})

test('what a test of the set-up came to is said where screen readers listen already', async () => {
  await open('/setup')
  const said = page.getByTestId('setup-email').getByRole('status')
  await said.waitFor({ state: 'attached', timeout: 5000 })
  await page.getByTestId('test-email').press('Enter')
  await said.getByText('Sent to triage@example.com').waitFor()
})

test('rows of the list of before are called so while what was chosen cannot be loaded', async () => {
  await send({ name: 'Olaf', message: 'Old' })
  await open('/')
  await page.getByTestId('row').first().waitFor()
  await page.route('**/api/submissions/search', route => route.fulfill(away))
  await page.getByTestId('filter-spam').click()
  await page.getByTestId('stale').getByText('this is the list of before').waitFor({ timeout: 5000 })
  await pictures(page, 'list-of-before')
  await page.unroute('**/api/submissions/search')
  await page.getByTestId('stale').waitFor({ state: 'detached' })
})

test('no filter says how many it lists while that cannot be counted', async () => {
  await send({ name: 'Nora', message: 'Number' })
  await open('/')
  const count = page.getByTestId('filter-all').getByTestId('count')
  await count.waitFor()
  await page.route('**/api/submissions/counts', route => route.fulfill(away))
  await page.getByTestId('filter-held').click()
  await count.waitFor({ state: 'detached', timeout: 5000 })
  await page.unroute('**/api/submissions/counts')
  await count.waitFor()
})

test('nothing is said to be missing from a list before that is known', async () => {
  await open('/?state=held')
  await page.getByTestId('none-held').waitFor()
  const release = await holdRequests(page, '**/api/submissions/search', route => route.continue())
  const asked = page.waitForRequest('**/api/submissions/search')
  await page.getByTestId('filter-spam').click()
  await page.locator('[data-testid=filter-spam][aria-pressed=true]').waitFor()
  await asked
  expect(await page.getByTestId('none-held').or(page.getByTestId('none-spam')).getAttribute('data-testid'))
    .toBe('none-held')
  expect(await page.getByRole('region', { name: 'Spam' }).count()).toBe(0)
  release()
  await page.getByTestId('none-spam').waitFor()
  await page.getByRole('region', { name: 'Spam' }).waitFor()
})

test('what goes with the button that was pressed gives the focus to what comes instead', async () => {
  const entries = Array.from({ length: 60 }, (_, index) => `Entry ${index + 1}`)
  await send({ name: 'Focus one' })
  const id = await send({ name: 'Focus two', entries })
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByTestId('decide-edit').press('Enter')
  await page.getByTestId('edit-cancel').press('Enter')
  await page.locator('h1:focus').waitFor()
  await page.getByRole('button', { name: 'Show all 60 items' }).press('Enter')
  await page.locator('li:focus').filter({ hasText: 'Entry 51' }).waitFor()

  await page.goto(`${d.server.url}/?q=Focus`)
  await page.getByTestId('row').nth(1).waitFor()
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'Select nothing' }).press('Enter')
  await page.locator('[data-testid=row] a:focus').filter({ hasText: 'Focus two' }).waitFor()
  await page.getByTestId('options').press('Enter')
  await page.getByLabel('Name of this view').fill('Mine')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Delete the view Mine' }).press('Enter')
  await page.locator('[aria-label="Name of this view"]:focus').waitFor()
  await page.keyboard.press('Escape')
  for (const name of ['Close', 'Undo']) {
    await page.keyboard.press('s')
    await page.getByTestId('notice').getByRole('button', { name }).press('Enter')
    await page.locator('main:focus').waitFor()
  }
  await page.getByTestId('notice').getByText('is open again').waitFor()
  await page.goto(`${d.server.url}/?q=nowhere`)
  await page.getByRole('button', { name: 'Clear the filters' }).press('Enter')
  await page.locator('h1:focus').waitFor()
})
