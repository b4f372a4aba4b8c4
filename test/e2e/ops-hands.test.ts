import { expect, test } from 'vitest'
import { screenshot } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { until } from '../support/until'
import { postJson } from '../support/webhook'
import { wholeList } from '../support/whole-list'

// Spam can be undone here, a forward cannot.
const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1' }))
// A refusal is an answer, but browsers report its status.
usePages({ expected: /status of (404|409|410)/ })

const send = (data: unknown) => submitForm(d.server, data)
const decide = (id: string, action: string) => postJson(`${d.server.url}/api/submissions/${id}/decision`, { action })
const states = async (state: string) => (
  (await wholeList(d.server.url, `limit=100&state=${state}`)).rows.map(({ id }) => id)
)
const shown = () => /submissions\/([^/#]+)/.exec(page.url())?.[1]
const row = (text: string) => page.getByTestId('row').filter({ hasText: text })
/** Waits for the notice: the event of an action may arrive before its answer. */
const said = (title: string) => page.getByTestId('notice').getByText(title).waitFor()
const focused = () => page.evaluate<string>('document.activeElement.textContent.trim().replace(/\\s+/g, " ")')
const allDone = () => page.getByTestId('all-done')

/** Counts the keys pressed since the last check. */
function keyboard() {
  let keys = 0
  return {
    press: async (key: string) => {
      keys++
      await page.keyboard.press(key)
    },
    pressed: () => {
      const count = keys
      keys = 0
      return count
    },
  }
}

test('a hundred are decided with at most two keys each, while others decide five of them', async () => {
  const sent: string[] = []
  // Sorted as in the list
  for (let number = 100; number > 0; number--) sent.unshift(await send({ name: `Person ${number}`, message: 'Hello' }))
  await d.server.drain()
  await page.goto(d.server.url)
  await page.getByTestId('row').nth(49).waitFor()
  await page.getByTestId('row').first().getByRole('link').first().press('Enter')
  const { press, pressed } = keyboard()
  const [mine, others] = [new Map<string, string>(), new Map<string, string>()]
  async function another(id: string, action: string) {
    expect((await decide(id, action)).status).toBe(200)
    others.set(id, action)
  }

  const seen: string[] = []
  const isLeft = () => mine.size + others.size < sent.length
  for (let step = 0; isLeft(); step++) {
    const id = await until('the next one', () => shown() !== seen.at(-1) && shown())
    seen.push(id)
    await page.locator('main').getByText(id).waitFor()
    pressed()
    const at = sent.indexOf(id)
    if (step === 5) await another(sent[at + 1]!, 'spam')
    if (step === 8) await another(sent[at + 10]!, 'forward')
    if (step === 11) await another(sent[at + 60]!, 'spam')
    if (step === 14 || others.has(id)) {
      // The shown submission was decided by another user, and maybe also the next one, before the page knew.
      if (!others.has(id)) await another(id, 'forward')
      // Spam is not final yet: it can be undone.
      await page.getByTestId(others.get(id) === 'spam' ? 'notes' : 'submission-ended').waitFor()
      await press('j')
    }
    else if (step === 17) {
      await press('f')
      await page.getByTestId('confirm').waitFor()
      await another(id, 'spam')
      await page.getByTestId('refusal').waitFor()
      await press('Enter')
    }
    else if (step % 2 === 0) {
      await press('s')
      mine.set(id, 'spam')
    }
    else {
      await press('f')
      await press('Enter')
      mine.set(id, 'forward')
    }
    if (isLeft()) await until('the one after', () => shown() !== id)
    expect(pressed()).toBeLessThanOrEqual(2)
  }

  await allDone().waitFor()
  expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('All done')
  expect(mine.size).toBe(95)
  expect(new Set(seen).size).toBe(seen.length)
  await d.server.drain()
  expect(await states('waiting')).toEqual([])
  const spam = [...mine, ...others].flatMap(([id, action]) => action === 'spam' ? id : [])
  expect((await states('spam')).toSorted()).toEqual(spam.toSorted())
  const forwarded = d.endpoint.requests.map(({ headers }) => String(headers['webhook-id']))
  expect(forwarded).toHaveLength(100 - spam.length)
  await screenshot(page, 'hands-all-done')

  // One key opens the previous submission, another one the list.
  await press('k')
  await page.getByTestId('submission-ended').or(page.getByTestId('notes')).waitFor()
  expect(shown()).toBe(seen.at(-1))
  await press('u')
  await page.getByTestId('empty').waitFor()
})

test('in the list keys move, select and decide, and letters are typed where somebody types', async () => {
  for (const name of ['Zoe', 'Yan', 'Xia', 'Wim']) await send({ name, message: 'Hello' })
  await page.goto(d.server.url)
  await row('Zoe').waitFor()
  // By then the page knows the features of this deployment, and what can be undone.
  await page.getByTestId('filter-mine').waitFor()
  const { press } = keyboard()
  await press('j')
  expect(await focused()).toContain('Wim')
  await press('j')
  expect(await focused()).toContain('Xia')
  // Tab moves within the row, and skips all other rows.
  expect(await page.locator('[data-testid=row] a[tabindex="0"]').count()).toBe(1)

  // A confirmation with its button focused; afterwards the next row has the focus.
  await press('f')
  await page.getByTestId('confirm').waitFor()
  await until('the focus on the answer', async () => await focused() === 'Forward Submission')
  await press('Enter')
  await row('Xia').getByTestId('state').filter({ hasText: 'Waiting' }).waitFor({ state: 'detached' })
  await until('the row after it', async () => (await focused()).includes('Yan'))

  // Spam can be undone here: no confirmation, but an Undo.
  await press('s')
  await row('Yan').waitFor({ state: 'detached' })
  await until('the row after it', async () => (await focused()).includes('Zoe'))
  await said('Marked as spam.')
  await screenshot(page, 'hands-undo')
  await press('z')
  await row('Yan').waitFor()

  await press('t')
  await said('Assigned to you.')
  await row('Zoe').getByTestId('holder').waitFor()
  await press('Shift+S')
  await press('Control+s')
  await press('/')
  await page.keyboard.type('just text, ')
  expect(await page.getByTestId('search').inputValue()).toBe('just text, ')
  expect((await states('waiting')).length).toBe(3)
  await page.getByTestId('search').fill('')
  await row('Wim').waitFor()

  await page.getByTestId('row').first().getByTestId('select').click()
  await row('Zoe').getByTestId('select').click({ modifiers: ['Shift'] })
  await page.getByTestId('selection').getByText('3 selected').waitFor()
  // Esc first closes the panel.
  await page.getByTestId('search-help').click()
  await page.locator('[aria-expanded=true]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[aria-expanded=true]').waitFor({ state: 'detached' })
  await page.getByTestId('selection').getByText('3 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByTestId('selection').waitFor({ state: 'detached' })

  await row('Yan').hover()
  await row('Yan').getByTestId('row-forward').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await until('the row that was asked about', async () => (await focused()).includes('Yan'))
})

test('many are decided together: their number first, then how far it is, and what was not decided', async () => {
  await page.goto(d.server.url)
  await row('Zoe').waitFor()
  await page.getByTestId('select-page').click()
  await page.getByTestId('selection').getByText('3 selected').waitFor()
  await pictures(page, 'hands-selected')
  await page.getByTestId('many-spam').click()
  await page.getByRole('dialog').getByText('Mark as spam: 3 submissions?').waitFor()
  await pictures(page, 'hands-many')
  // Another user decides one of them, and this page does not receive the event.
  await page.route('**/api/submissions/decisions', async (route) => {
    const other = await decide((route.request().postDataJSON() as { ids: string[] }).ids[0]!, 'forward')
    expect(other.status).toBe(200)
    await route.continue()
  }, { times: 1 })
  await until('the focus on the answer', async () => await focused() === 'Mark as spam: 3')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('2 of 3 marked as spam').waitFor()
  expect(await page.getByTestId('bulk-errors').textContent()).toMatch(/Forwarded by Local/)
  await pictures(page, 'hands-not-decided')
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByTestId('notice').getByText('2 submissions are open again.').waitFor()
  expect((await states('waiting')).length).toBe(2)
})

test('whoever the page could not be told at first decides as soon as that is known', async () => {
  let asked = 0
  await page.route('**/api/auth/session', async (route) => {
    if (++asked === 1) return route.fulfill({ status: 503, json: { error: 'Try again.', code: 'STORE_UNAVAILABLE' } })
    const answer = await route.fetch()
    const session = await answer.json() as { viewer: object }
    const viewer = { ...session.viewer, ...asked === 2 && { role: null } }
    await route.fulfill({ response: answer, json: { ...session, viewer } })
  })
  await page.goto(d.server.url)
  await row('Wim').or(row('Zoe')).or(row('Yan')).first().waitFor()
  await page.getByTestId('select').first().waitFor()
  expect(asked).toBe(3)
  expect(problems.splice(0)).toEqual([expect.stringContaining('503')])

  // The same applies if it is unknown who may decide this submission.
  const [id] = await states('waiting')
  await page.route(`**/api/submissions/${id}`, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...await answer.json() as object, mayDecide: null } })
  }, { times: 1 })
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByText('Who may decide cannot be looked up just now. Trying again…').waitFor()
  await page.getByTestId('decide-spam').waitFor()
})

test('who only looks has no deciding keys', async () => {
  await page.route('**/api/auth/session', async (route) => {
    const answer = await route.fetch()
    const session = await answer.json() as { viewer: object }
    await route.fulfill({ response: answer, json: { ...session, viewer: { ...session.viewer, role: 'viewer' } } })
  })
  await page.goto(d.server.url)
  await row('Wim').or(row('Zoe')).or(row('Yan')).first().waitFor()
  expect(await page.getByTestId('select').count()).toBe(0)
  for (const key of ['j', 's', 'f', 'x']) await page.keyboard.press(key)
  await page.getByTestId('row').first().hover()
  const hands = page.getByTestId('row-actions').or(page.getByTestId('selection')).or(page.getByRole('dialog'))
  expect(await hands.count()).toBe(0)
  expect((await states('waiting')).length).toBe(2)
})
