import { expect, test } from 'vitest'
import { pressEnter } from '../support/browser'
import { submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { until } from '../support/until'

// Anybody may send 256 KB of the content that is slowest to render, so a submission's page renders only a part of it.

const d = endAfterAll(await deployPages())
// The data of a decided submission is erased.
usePages({ expected: /status of 410/ })

const open = (id: string) => page.goto(`${d.server.url}/submissions/${id}`)
const isForwarded = (id: string) => until('the edit to be forwarded', async () => (
  (await (await fetch(`${d.server.url}/api/submissions/${id}`)).text()).includes('Edited and forwarded by')
))
const edit = (input: number) => page.getByTestId(`edit-f${input}`)

test('a form of 24,000 fields is shown and edited in steps', async () => {
  const { id } = await submit(d, Object.fromEntries(Array.from({ length: 24_000 }, (_, index) => [`${index}`, 1])))
  await open(id)
  const more = (parts: string) => page.getByTestId(parts).filter({ hasText: 'Show 100 more of 24,000 fields' })
  const [fields, inputs] = [page.getByTestId('submission-field'), page.locator('[data-testid^=edit-f]:not(form)')]
  await more('more-fields').waitFor()
  expect(await fields.count()).toBe(200)
  await pressEnter(more('more-fields'))
  await page.locator('[data-testid=submission-field]:focus').getByText('200', { exact: true }).waitFor()
  expect(await fields.count()).toBe(300)
  await page.getByTestId('decide-edit').click()
  await more('more-inputs').waitFor()
  expect(await inputs.count()).toBe(200)
})

test('a name and a text of 60,000 marks on one character are shown at once, and the text is forwarded as it is', async () => {
  const marks = '\u0301'.repeat(60_000)
  const { id } = await submit(d, { [`k${marks}`]: 'value', text: `a${marks}`, name: 'Ada' })
  await open(id)
  await page.getByText('⟨+59,970 marks⟩').first().waitFor({ timeout: 10_000 })
  await page.getByTestId('decide-edit').click()
  await page.getByTestId('fixed-f1').getByText('forwarded as it is').waitFor({ timeout: 10_000 })
  await edit(2).fill('Grace')
  await page.getByTestId('edit-submit').click()
  await isForwarded(id)
  await d.server.drain()
  expect(JSON.parse(d.endpoint.requests.at(-1)!.body)).toMatchObject({ text: `a${marks}`, name: 'Grace' })
})
