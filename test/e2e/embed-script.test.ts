import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { blockText } from '../support/block-kit'
import { screenshot } from '../support/browser'
import { cardOf } from '../support/deployment'
import { until } from '../support/until'
import { openWebsite, unchecked } from '../support/website'

const [, documented] = /<!-- fetch -->\n```js\n([^]*?)```/.exec(
  readFileSync(`${import.meta.dirname}/../../docs/forms.md`, 'utf8'),
)!

/** Website of another origin, which allows only our scripts and styles */
const { d, shop, browser } = await openWebsite(origin => ({
  orders: {
    name: 'Orders', allowedOrigins: [origin], endpoint: null, fields: {
      name: 'Your name', email: { label: 'Email address', type: 'email', required: true },
      seats: { label: 'Seats', type: 'integer', min: 1, max: 9 },
      terms: { label: 'I agree', type: 'checkbox', required: true },
    },
  },
  jobs: { name: 'Jobs', files: { max: 1, types: ['text/plain'] }, fields: { name: 'Your name' } },
  away: { name: 'Away', redirect: `${origin}/done`, fields: { name: 'Your name' } },
  next: { name: 'Next', allowedOrigins: [origin], fields: { 'contact[email]': { type: 'email', required: true } } },
}), async ({ d, shop, copied }, path) => {
  if (path === '/done') return '<h1>The shop thanks you</h1>'
  const [, key] = path.split('/') as ['', string]
  const { url } = d.server
  if (key === 'own') return `${unchecked(await copied('orders')).replace('</form>', '<p role="status"></p></form>')}
    <script>${documented}</script>`
  const next = `<form action="${url}/api/form/next" method="post"><input name="action" aria-label="Action">
    <input type="radio" name="reset" value="a" aria-label="A"><input type="hidden" name="_next" value="${shop.url}/done">
    <label>Email <input name="contact[email]"></label><button>Send</button></form>`
  const keys = key === 'both' ? ['orders', 'jobs'] : [key]
  const forms = await Promise.all(keys.map(async each => each === 'next' ? next : unchecked(await copied(each))))
  const scripts = keys.map(each => `<script src="${url}/api/form/${each}/embed.js" defer></script>`)
  return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${url}; connect-src ${url};
    form-action ${url}">${scripts.join('')}<main><h1>Shop</h1>${forms.join('')}</main>`
}, { FORM_RATE_LIMIT: '40' })

/** Opens the page of a form; fails if the browser complains about it. */
async function open(path: string, options = {}): Promise<{ page: Page, button: Locator, status: Locator }> {
  const page = await browser.newPage(options)
  const problems: string[] = []
  page.on('console', message => /Content.Security|script/i.test(message.text()) && problems.push(message.text()))
  page.on('pageerror', error => problems.push(error.message))
  await page.goto(`${shop.url}/${path}`)
  onTestFinished(async () => {
    await page.close()
    expect(problems).toEqual([])
  })
  return { page, button: page.getByRole('button', { name: /Send|Senden/ }), status: page.getByRole('status') }
}

const posted = (name: string) => d.slack.calls('chat.postMessage').filter(call => JSON.stringify(call).includes(name))

async function fillOrder(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('I agree').check()
}

describe('a page with the script', () => {
  test('shows what is wrong beside the inputs, keeps what was typed, and thanks', async () => {
    const { page, button, status } = await open('orders', { locale: 'de-DE' })
    await page.getByLabel('Your name').fill('Ada Lovelace')
    await page.getByLabel('Seats').fill('12')
    await button.click()
    await page.locator('[data-state=failed]').waitFor()
    expect(await status.textContent()).toBe('Bitte sehen Sie sich das noch einmal an.')
    const described = async (label: string) => {
      const input = page.getByLabel(label)
      const note = page.locator(`[id="${await input.getAttribute('aria-describedby')}"]`)
      return [await input.getAttribute('aria-invalid'), (await note.textContent())?.trim()]
    }
    expect(await described('Email address')).toEqual(['true', 'Bitte füllen Sie das aus.'])
    expect(await described('Seats')).toEqual(['true', 'Bitte höchstens 9.'])
    expect(await described('I agree')).toEqual(['true', 'Bitte füllen Sie das aus.'])
    expect(await page.locator('label + .problem').count()).toBe(1)
    expect(await page.locator(':focus').getAttribute('name')).toBe('email')
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada Lovelace')
    expect(await seriousFindings(page, 'all')).toEqual([])
    await screenshot(page, 'embed-script-problems')
    await fillOrder(page, 'Ada Lovelace')
    await page.getByLabel('Seats').fill('3')
    await button.click()
    await page.locator('[data-state=sent]').waitFor()
    expect(await status.textContent()).toBe('Vielen Dank! Ihr Formular ist angekommen.')
    expect(await page.locator('.problem, [aria-invalid]').count()).toBe(0)
    expect([await page.getByLabel('Your name').inputValue(), await button.isEnabled()]).toEqual(['', true])
    await d.server.drain()
    expect(posted('Ada Lovelace')).toHaveLength(1)
  })

  test('sends a form once, however often its button is pressed', async () => {
    const { page, button } = await open('orders')
    await fillOrder(page, 'Grace Hopper')
    let answered = () => {}
    const answer = new Promise<void>((resolve) => { answered = resolve })
    await page.context().route('**/api/form/orders?*', async (route) => {
      await answer
      await route.continue()
    })
    const submit = () => page.evaluate('document.forms[0].requestSubmit()')
    await submit()
    await submit()
    expect(await button.isDisabled()).toBe(true)
    await submit()
    answered()
    await page.locator('[data-state=sent]').waitFor()
    expect(await button.isEnabled()).toBe(true)
    await d.server.drain()
    expect(posted('Grace Hopper')).toHaveLength(1)
  })

  test('stores a form once whose answer was lost, and again after a change', async () => {
    const { page, button, status } = await open('orders')
    await fillOrder(page, 'Lost Answer')
    const keys: (string | undefined)[] = []
    await page.context().route('**/api/form/orders?*', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await button.click()
    await status.getByText('We could not be reached.').waitFor()
    expect(await page.locator('button:focus').count()).toBe(1)
    await button.click()
    await page.locator('[data-state=sent]').waitFor()
    await fillOrder(page, 'Lost Answer')
    await button.click()
    await until('the third attempt', () => keys.length === 3)
    await page.locator('[data-state=sent]').waitFor()
    await d.server.drain()
    expect(keys).toEqual([expect.any(String), keys[0], expect.not.stringMatching(keys[0]!)])
    expect(posted('Lost Answer')).toHaveLength(2)
  })

  test('says that the service is away, and sends the same form when it is back', async () => {
    const { page, button, status } = await open('orders')
    await fillOrder(page, 'Patient Visitor')
    await page.context().setOffline(true)
    await button.click()
    await status.getByText('We could not be reached.').waitFor()
    await page.context().setOffline(false)
    await button.click()
    await page.locator('[data-state=sent]').waitFor()
  })

  test('sends files', async () => {
    const { page, button, status } = await open('jobs')
    await page.getByLabel('Your name').fill('Filer')
    const choose = (content: string) => page.getByLabel('Files').setInputFiles({
      name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from(content),
    })
    await choose('GIF89a\u0001\u0000\u0001\u0000')
    await button.click()
    await status.getByText('One of the files is of a kind').waitFor()
    await choose('My life')
    await button.click()
    await page.locator('[data-state=sent]').waitFor()
    await d.server.drain()
    expect(JSON.stringify(posted('Filer'))).toContain('cv.txt')
  })

  test('may have several forms, each with its own script', async () => {
    const { page } = await open('both')
    const [orders, jobs] = [page.locator('form[action$=orders]'), page.locator('form[action$=jobs]')]
    await jobs.getByLabel('Your name').fill('Second Form')
    await jobs.getByRole('button', { name: 'Send' }).click()
    await jobs.locator('[data-state=sent]').waitFor()
    await orders.getByRole('button', { name: 'Send' }).click()
    await orders.locator('[data-state=failed]').waitFor()
    expect([await orders.locator('.problem').count(), await jobs.locator('.problem').count()]).toEqual([2, 0])
    await d.server.drain()
    expect(posted('Second Form')).toHaveLength(1)
  })

  test('asks for a new human check once the last one is used, and only then', async () => {
    const { page, button } = await open('orders')
    await page.evaluate(`
      document.forms[0].append(Object.assign(document.createElement('div'), { className: 'cf-turnstile' }))
      window.turnstile = { reset: widget => widget.append('renewed') }`)
    await button.click()
    await page.locator('[data-state=failed]').waitFor()
    expect(await page.locator('.cf-turnstile').textContent()).toBe('')
    await fillOrder(page, 'Human')
    await button.click()
    await page.getByText('renewed').waitFor()
  })

  test('goes on to the page of the form', async () => {
    const { page, button } = await open('away')
    await page.getByLabel('Your name').fill('Ada')
    await button.click()
    await page.getByRole('heading', { name: 'The shop thanks you' }).waitFor()
  })

  test('serves forms inserted later, whatever their inputs are called, and goes where they say', async () => {
    const { page, button, status } = await open('next')
    await page.evaluate('document.forms[0].replaceWith(document.forms[0].cloneNode(true))')
    await page.getByLabel('Action').fill('elsewhere')
    await button.click()
    await page.locator('[data-state=failed]').waitFor()
    expect(await page.locator('label + .problem').textContent()).toBe(' Please fill this in.')
    expect(await status.textContent()).toBe('Some of it needs another look.')
    await page.getByLabel('Email').fill('ada@example.com')
    await button.click()
    await page.getByRole('heading', { name: 'The shop thanks you' }).waitFor()
  })
})

test('the script in the documentation shows what is wrong beside the inputs, and sends a form once', async () => {
  const { page, button, status } = await open('own')
  await button.click()
  await status.getByText('Please look at it again.').waitFor()
  expect(await page.locator('[name=email] + .problem').textContent()).toBe('Please fill this in.')
  await fillOrder(page, 'Own Script')
  await button.click()
  await status.getByText('Thank you!').waitFor()
  expect(await page.locator('.problem').count()).toBe(0)
  await d.server.drain()
  expect(posted('Own Script')).toHaveLength(1)
})

test('without JavaScript the same page works as before', async () => {
  const { page, button } = await open('orders', { javaScriptEnabled: false })
  await fillOrder(page, 'No Script')
  await button.click()
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
  const card = await cardOf(d, new URL(page.url()).searchParams.get('id')!)
  expect(blockText(card.blocks)).toContain('No Script')
})

test('the script may be loaded and kept by any website', async () => {
  const url = `${d.server.url}/api/form/orders/embed.js?lang=de`
  const script = await fetch(url, { headers: { 'accept-language': 'fr' } })
  expect(Object.fromEntries([
    'content-type', 'content-language', 'cross-origin-resource-policy', 'access-control-allow-origin',
    'x-content-type-options', 'vary',
  ].map(name => [name, script.headers.get(name)]))).toEqual({
    'content-type': 'text/javascript; charset=utf-8', 'content-language': 'de', 'vary': 'Accept-Language',
    'cross-origin-resource-policy': 'cross-origin', 'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  })
  expect(await script.text()).toContain('Vielen Dank!')
  expect(script.headers.get('cache-control')).toMatch(/^public, max-age=\d+/)
  const again = await fetch(url, { headers: { 'if-none-match': script.headers.get('etag')! } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await fetch(`${d.server.url}/api/form/nothing/embed.js`)).status).toBe(404)
})

// Keep this test last: afterwards, this address has reached its rate limit.
test('a visitor who sent too many forms is told when to send again', async () => {
  const { page, button, status } = await open('orders')
  await Promise.all(Array.from({ length: 40 }, () => fetch(`${d.server.url}/api/form/orders`, {
    method: 'POST', body: '{}', headers: { 'content-type': 'application/json' },
  })))
  await fillOrder(page, 'Too Many')
  await button.click()
  await status.getByText(/Please wait \d+ s, then send it again/).waitFor()
  expect(await page.getByLabel('Your name').inputValue()).toBe('Too Many')
})
