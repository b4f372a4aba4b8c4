import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { fits, holdRequests, screenshot, setLetters } from '../support/browser'
import { sendForm } from '../support/deployment'
import { endAfterTest, formsFile, testFolder } from '../support/lifetime'
import { botUp } from '../support/webhook'
import { browser, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { startServer, type Server } from '../support/server'

let server: Server
beforeEach(async () => {
  const FORMS_CONFIG = formsFile(FORMS, testFolder())
  server = endAfterTest(await startServer({ NODE_ENV: 'development', DATA_DIR: testFolder(), FORMS_CONFIG }))
})
usePages()

const FORMS = { orders: {
  name: 'Orders', confirm: { subject: 'We have your order', text: 'We answer within two days.' }, fields: {
    email: { label: 'Email address', type: 'email' }, seats: { label: 'Seats', type: 'integer', max: 9 },
    day: { label: 'Day', type: 'date' }, size: { label: 'Size', type: 'select', options: ['Small', 'Large'] },
    terms: { label: 'I agree', type: 'checkbox' },
  },
} }
const card = (text: string, room = 'triage'): Locator => (
  page.getByTestId(`room-${room}`).getByTestId('card').filter({ hasText: text })
)
const ROOMS = ['triage', 'sales']
const FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.\nDelivery to London.', quantity: 2,
}

describe('the sandbox in a browser', () => {
  it('names the way to the other pages at 320 px, and sends odd forms', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${server.url}/sandbox`)
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    await links.first().waitFor()
    expect(await links.allInnerTexts()).toEqual(['Submissions', 'Status', 'Setup'])
    await fits(page)
    await page.getByTestId('send-form').click()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByRole('button', { name: 'Empty', exact: true }).click()
    await page.getByTestId('send-form-json-submit').click()
    await card('The form was empty.').waitFor()
    await screenshot(page, 'sandbox-320')
  })

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
    for (const room of ROOMS) await card('Marked as spam by Ada Lovelace', room).waitFor()
    expect(await page.getByText('WIN NOW').count()).toBe(0)
    expect(await page.getByTestId('email-item').count()).toBe(0)
  })

  it('takes a click while another card is still being decided', async () => {
    for (const name of ['Grace Hopper', 'Alan Turing']) await sendForm(server, { name })
    await page.goto(`${server.url}/sandbox`)
    const arrive = await holdRequests(page, '**/api/webhooks/sandbox', route => route.continue())
    await card('Grace Hopper').getByTestId('action-forward').click()
    await card('Alan Turing').getByTestId('action-spam').click()
    arrive()
    await card('Marked as spam by Ada Lovelace').waitFor()
    await card('Forwarded by Ada Lovelace').waitFor()
  })

  it('a second reviewer who submits the form too late is told who decided', async () => {
    await sendForm(server, FORM)
    await page.goto(`${server.url}/sandbox`)
    await card('Ada Lovelace').getByTestId('action-edit').click()
    await page.getByTestId('modal-input-f0').waitFor()
    const other = await browser.newPage()
    await other.goto(`${server.url}/sandbox`)
    await other.getByTestId('action-spam').first().click()
    await other.getByText('Marked as spam').first().waitFor()
    await other.close()
    await page.getByTestId('modal-submit').click()
    await page.getByTestId('modal').getByText(/^Marked as spam by/).waitFor()
  })

  it('offers what a field takes, says under it what is wrong, keeps all that was typed, and tells who sent it', async () => {
    await sendForm(server, {
      email: 'ada@example.com', seats: 2, day: '2026-11-22', size: 'Small', terms: true, address: { city: 'London' },
    }, {}, '/orders')
    await page.goto(`${server.url}/sandbox`)
    await card('22 November 2026').getByTestId('action-edit').click()
    const input = (field: number) => page.getByTestId(`modal-input-f${field}`)
    await input(1).fill('12')
    await input(5).fill('{broken')
    for (const [field, choice] of [[3, 'Large'], [4, 'No']] as const) {
      await input(field).click()
      await page.getByRole('option', { name: choice }).click()
    }
    await page.getByTestId('modal-submit').click()
    const modal = page.getByTestId('modal')
    for (const wrong of ['At most 9, please.', /JSON object/]) await modal.getByText(wrong).waitFor()
    expect([await input(1).inputValue(), await input(2).inputValue()]).toEqual(['12', '2026-11-22'])
    await screenshot(page, 'sandbox-modal-typed')
    await input(1).fill('3')
    await input(5).fill('{}')
    await page.getByTestId('modal-submit').click()
    await page.getByTestId('email-item').filter({ hasText: 'We have your order' }).click()
    await page.getByText('We answer within two days.').first().waitFor()
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

  it('sends a form from its own panel, also when its script is not there any more, and reloads into the same room', async () => {
    // A route disables the browser cache.
    await page.route('**/_nuxt/**', route => route.continue())
    const script = (text: string) => page.waitForResponse(
      async response => response.url().endsWith('.js') && (await response.text()).includes(text),
    )
    const [, ...early] = await Promise.all([
      page.goto(`${server.url}/sandbox`), script('send-form-submit'), script('modal-submit'),
    ])
    // Load their imports, too.
    for (const response of early) await page.evaluate(`import(${JSON.stringify(response.url())}).then(() => {})`)
    await page.route('**/_nuxt/**', route => route.abort())
    await page.getByTestId('send-form').click()
    await page.getByTestId('send-form-submit').click()
    await card('New Form Submission').waitFor()
    await page.unroute('**/_nuxt/**')
    await page.reload()
    await card('New Form Submission').waitFor()
  })

  it('somebody who only looks sees no button that the server would refuse, and on the set-up page neither', async () => {
    await page.route('**/api/auth/session', async (route) => {
      const response = await route.fetch()
      const session = await response.json() as { viewer: object }
      await route.fulfill({ response, json: { ...session, viewer: { ...session.viewer, role: 'viewer' } } })
    })
    await sendForm(server, FORM)
    await page.goto(`${server.url}/sandbox`)
    await card('Ada Lovelace').waitFor()
    await page.getByText('You may look at this room.').first().waitFor()
    expect(await card('Ada Lovelace').getByTestId('action-forward').count()).toBe(0)
    expect(await page.getByTestId('say-triage').count()).toBe(0)
    // Pretend that emails can be sent.
    await page.route('**/api/setup', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replaceAll('"set":false', '"set":true') })
    })
    await page.goto(`${server.url}/setup`)
    await page.getByTestId('setup-email').waitFor()
    await pictures(page, 'setup-all-set')
    expect(await page.getByTestId('test-email').count()).toBe(0)
    await page.unroute('**/api/auth/session')
    await page.reload()
    await page.getByTestId('test-email').waitFor()
    await page.unroute('**/api/setup')
    await page.reload()
    await page.getByTestId('setup-email').waitFor()
    expect(await page.getByTestId('test-email').count()).toBe(0)
    await pictures(page, 'setup-nothing-set')
  })

  it('takes a message while the one before is on its way', async () => {
    await botUp(() => fetch(`${server.url}/api/webhooks/sandbox`, { method: 'POST' }))
    await page.goto(`${server.url}/sandbox`)
    const arrive = await holdRequests(page, '**/api/webhooks/sandbox', route => route.continue())
    for (const text of ['First words', 'Second words']) {
      await page.getByTestId('say-triage').fill(text)
      expect(await page.getByTestId('send-triage').isEnabled()).toBe(true)
      await page.getByTestId('send-triage').click()
    }
    arrive()
    for (const text of ['First words', 'Second words']) {
      await page.getByTestId('message').filter({ hasText: text }).first().waitFor()
    }
  })

  it('fits a phone: the card and its buttons are there without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await sendForm(server, FORM)
    await page.goto(`${server.url}/sandbox`)
    await card('Ada Lovelace').getByTestId('action-forward').waitFor()
    await fits(page)
    await screenshot(page, 'sandbox-phone')
    await page.setViewportSize({ width: 320, height: 640 })
    await fits(page)
    await screenshot(page, 'sandbox-narrow')
    await page.setViewportSize({ width: 390, height: 844 })
    await setLetters(page, 2)
    await fits(page)
    await screenshot(page, 'sandbox-large')
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
