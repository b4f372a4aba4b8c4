import { expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { sendForm } from '../support/deployment'
import { endAfterAll, formsFile, sharedFolder } from '../support/lifetime'
import { pictures } from '../support/pictures'
import { startServer } from '../support/server'
import { until } from '../support/until'

const forms = formsFile({ orders: { name: 'Orders' }, sizes: { name: 'Sizes', fields: {
  size: { label: 'Size', type: 'select', options: ['Small', 'Large'] }, name: 'Name',
} } })
const server = endAfterAll(await startServer({
  NODE_ENV: 'development', DATA_DIR: sharedFolder(), FORMS_CONFIG: forms,
}))
const browser = endAfterAll(await startBrowser())

test('has no serious finding where a form is sent, light and dark, and its page is named after the form', async () => {
  const { page, problems } = await openPage(browser)
  await page.goto(`${server.url}/sandbox`)
  await page.getByTestId('send-form').click()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html.${colorScheme}`).waitFor()
    for (const name of ['Form', 'JSON', 'curl']) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tab', { name, selected: true }).waitFor()
      expect(await seriousFindings(page, colorScheme === 'light' ? 'all' : 'colours')).toEqual([])
      await screenshot(page, `send-form-${name}-${colorScheme}`)
    }
  }
  await page.getByRole('tab', { name: 'Form' }).click()
  await pictures(page, 'sandbox-send-form')
  const answer = await sendForm(server, { email: 'ada@example.com', terms: true }, {}, '/orders')
  const { submissionId } = await answer.json() as { submissionId: string }
  await page.goto(`${server.url}/submissions/${submissionId}`)
  await page.getByRole('heading', { level: 1, name: 'Form submission: Orders', exact: true }).waitFor()
  await page.close()
  expect(problems).toEqual([])
})

test('a link to no card, and no text at all, opens the sandbox; a list that is the first field of a form has the focus', async () => {
  const { page, problems } = await openPage(browser)
  await sendForm(server, { size: 'Small', name: 'Una' }, {}, '/sizes')
  await page.goto(`${server.url}/sandbox#%`)
  const card = page.getByTestId('room-triage').getByTestId('card').filter({ hasText: 'Una' })
  await card.getByTestId('action-edit').click()
  await page.getByTestId('modal').getByRole('combobox', { name: 'Size' }).waitFor()
  await until('the focus on the list', async () => (
    await page.evaluate('document.activeElement.getAttribute("role")') === 'combobox'
  ))
  await page.close()
  expect(problems).toEqual([])
})
