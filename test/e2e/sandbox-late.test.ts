import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'

// A late answer is reported, and does not disturb what was started meanwhile.

const d = endAfterAll(await deployPages({ SANDBOX: '1' }))
usePages({ expected: /status of 503/ })

const away = { status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' } }
const card = (text: string): Locator => page.getByTestId('room-triage').getByTestId('card').filter({ hasText: text })
const field = () => page.getByTestId('modal').locator('input, textarea').first()
const open = () => page.goto(`${d.server.url}/sandbox`)

/** Holds requests that contain these words until the test sets their answer. */
async function hold(url: string, words: string) {
  const answer = Promise.withResolvers<typeof away | null>()
  const asked = Promise.withResolvers<undefined>()
  await page.route(url, async (route) => {
    if (!route.request().postData()?.includes(words)) return route.fallback()
    asked.resolve(undefined)
    const known = await answer.promise
    await (known ? route.fulfill(known) : route.continue())
  })
  return { asked: asked.promise, release: answer.resolve }
}

async function submitted(name: string) {
  await card(name).getByTestId('action-edit').click()
  const held = await hold('**/api/webhooks/sandbox', 'modal_submit')
  await page.getByTestId('modal-submit').click()
  await held.asked
  await page.keyboard.press('Escape')
  await page.getByTestId('modal').waitFor({ state: 'detached' })
  return held
}

test('whoever closes a dialog before its answer is told that it failed', async () => {
  await sendForm(d.server, { name: 'Lara Late' })
  await open()
  const { release } = await submitted('Lara Late')
  release(away)
  await page.getByText('The form was not taken').first().waitFor({ timeout: 5000 })
  await page.getByText('The store does not answer.').first().waitFor()
})

test('the answer to a dialog that was closed leaves another one open, with what is typed in it', async () => {
  for (const name of ['Lars Late', 'Mona Meanwhile']) await sendForm(d.server, { name })
  await open()
  const { release } = await submitted('Lars Late')
  await card('Mona Meanwhile').getByTestId('action-edit').click()
  await field().fill('Mona typed')
  const answered = page.waitForResponse('**/api/webhooks/sandbox')
  release(null)
  await answered
  await card('Forwarded by').filter({ hasText: 'Lars Late' }).waitFor()
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))')
  expect(await field().inputValue()).toBe('Mona typed')
  await page.unroute('**/api/webhooks/sandbox')
  await page.getByTestId('modal-submit').click()
  await card('Mona typed').filter({ hasText: 'Forwarded by' }).waitFor()
})

test('whoever closes the panel before the answer is told that a form, or one of many, was not received', async () => {
  await open()
  for (const button of ['send-form-submit', 'send-many']) {
    const { asked, release } = await hold('**/api/form', '{')
    await page.getByTestId('send-form').click()
    await page.getByTestId(button).click()
    await asked
    await page.keyboard.press('Escape')
    await page.getByTestId('send-form-panel').waitFor({ state: 'detached' })
    release(away)
    await page.getByText('The form was not received').first().waitFor({ timeout: 5000 })
    expect(await page.getByTestId('send-form-panel').count()).toBe(0)
    await page.unroute('**/api/form')
    await page.reload()
  }
})

test('no form is sent from a room that cannot be shown', async () => {
  await page.route('**/api/sandbox/state', route => route.fulfill(away))
  await open()
  await page.getByText('The room cannot be shown').waitFor()
  expect(await page.getByTestId('send-form').isDisabled()).toBe(true)
  await page.unroute('**/api/sandbox/state')
  await page.locator('[data-testid=send-form]:enabled').click()
  await page.getByTestId('send-form-panel').waitFor()
})
