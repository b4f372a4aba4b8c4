import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { sendForm } from '../support/deployment'
import { startServer, type Server } from '../support/server'

let browser: Browser
let server: Server
let dir: string
let page: Page
let problems: string[]

beforeAll(async () => { browser = await startBrowser() })
afterAll(() => browser.close())
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'triage-'))
  server = await startServer({ NODE_ENV: 'development', DATA_DIR: dir })
  ;({ page, problems } = await openPage(browser))
})
afterEach(async () => {
  expect(problems).toEqual([])
  await page.close()
  await server.kill()
  await rm(dir, { recursive: true, force: true })
})

const card = (text: string): Locator => page.getByTestId('card').filter({ hasText: text })
const FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.\nDelivery to London.', quantity: 2,
}

describe('the sandbox in a browser', () => {
  it('does the whole job: form, card, Edit & Forward, email', async () => {
    await page.goto(`${server.url}/sandbox`)
    await sendForm(server, FORM)
    await card('Ada Lovelace').waitFor()
    expect(await card('Ada Lovelace').getByTestId('card-title').textContent()).toContain('New Form Submission')
    await screenshot(page, 'sandbox-card')
    await screenshot(card('Ada Lovelace'), 'card')

    await card('Ada Lovelace').getByTestId('action-edit').click()
    const name = page.getByTestId('modal-input-f0')
    await name.waitFor()
    expect(await name.inputValue()).toBe('Ada Lovelace')
    expect(await page.getByTestId('modal-input-f3').inputValue()).toBe(FORM.message)
    await name.fill('Grace Hopper')
    await screenshot(page, 'sandbox-modal')
    await page.getByTestId('modal-submit').click()
    await card('Edited and forwarded by Ada Lovelace').waitFor()
    await page.getByTestId('modal').waitFor({ state: 'detached' })
    expect(await card('Edited and forwarded').getByTestId('action-forward').count()).toBe(0)
    expect(await card('Edited and forwarded').textContent()).toContain('name (edited)')

    await page.getByTestId('email-item').first().click()
    const frame = page.getByTestId('email-frame').contentFrame()
    await frame.getByText('Grace Hopper', { exact: true }).waitFor()
    await screenshot(page, 'sandbox-forwarded')
  })

  it('marks as spam: the card says who, the data is gone, nothing is sent', async () => {
    await sendForm(server, { name: 'Casino', message: 'WIN NOW' })
    await page.goto(`${server.url}/sandbox`)
    await card('WIN NOW').getByTestId('action-spam').click()
    await card('Marked as spam by Ada Lovelace').waitFor()
    expect(await page.getByText('WIN NOW').count()).toBe(0)
    expect(await page.getByTestId('email-item').count()).toBe(0)
  })

  it('a second reviewer who submits the form too late is told who decided', async () => {
    await sendForm(server, FORM)
    await page.goto(`${server.url}/sandbox`)
    await card('Ada Lovelace').getByTestId('action-edit').click()
    await page.getByTestId('modal-input-f0').waitFor()
    const other = await browser.newPage()
    await other.goto(`${server.url}/sandbox`)
    await other.getByTestId('action-spam').click()
    await other.getByText('Marked as spam').first().waitFor()
    await other.close()
    await page.getByTestId('modal-submit').click()
    await page.getByTestId('modal').getByText(/already decided/i).waitFor()
  })

  it('shows an error under a field that must stay JSON, with everything typed kept', async () => {
    await sendForm(server, { name: 'Ada', address: { city: 'London' } })
    await page.goto(`${server.url}/sandbox`)
    await card('London').getByTestId('action-edit').click()
    await page.getByTestId('modal-input-f0').fill('Typed before')
    await page.getByTestId('modal-input-f1').fill('{broken')
    await page.getByTestId('modal-submit').click()
    await page.getByTestId('modal').getByText(/JSON object/).waitFor()
    expect(await page.getByTestId('modal-input-f0').inputValue()).toBe('Typed before')
  })

  it('shows hostile values as text, in the card and in the email', async () => {
    const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    await sendForm(server, { [hostile]: hostile })
    await page.goto(`${server.url}/sandbox`)
    await card('onerror').getByTestId('action-forward').click()
    await card('Forwarded by').waitFor()
    await page.getByTestId('email-item').first().click()
    const frame = page.getByTestId('email-frame').contentFrame()
    await frame.getByText(hostile, { exact: true }).last().waitFor()
    expect(await frame.locator('img, script').count()).toBe(0)
    expect(await page.title()).not.toBe('owned')
  })

  it('sends a form from its own panel, and reloads into the same room', async () => {
    await page.goto(`${server.url}/sandbox`)
    await page.getByTestId('send-form').click()
    await page.getByTestId('send-form-submit').click()
    await page.getByTestId('card').waitFor()
    await page.reload()
    expect(await page.getByTestId('card').first().textContent()).toContain('New Form Submission')
  })

  it('fits a phone: the card and its buttons are there without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await sendForm(server, FORM)
    await page.goto(`${server.url}/sandbox`)
    await card('Ada Lovelace').getByTestId('action-forward').waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await screenshot(page, 'sandbox-phone')
  })

  it('links from a card that was cut to the whole submission', async () => {
    await sendForm(
      server, Object.fromEntries(Array.from({ length: 137 }, (_, index) => [`field ${index}`, `value ${index}`])),
    )
    await page.goto(`${server.url}/sandbox`)
    const href = await card('37 more fields').getByRole('link').getAttribute('href')
    await page.goto(server.url + new URL(href!).pathname)
    await page.getByText('value 136').waitFor()
  })
})
