import { expect, test } from 'vitest'
import { z } from 'zod'
import { blockText, viewProblems } from '../support/block-kit'
import { cardOf, openEdit, submitEdit, submitForm } from '../support/deployment'
import { looks } from '../support/looks'
import type { Block } from '../support/slack'
import { until } from '../support/until'
import { postJson } from '../support/webhook'
import { openWebsite, unchecked } from '../support/website'

const { d, shop, browser, copied } = await openWebsite(origin => ({
  orders: {
    name: 'Orders', allowedOrigins: [origin], endpoint: null, extra: 'refuse', fields: {
      name: 'Your name', email: { label: 'Email address', type: 'email', required: true },
      seats: { label: 'Seats', type: 'integer', min: 1, max: 9 }, day: { label: 'Day', type: 'date' },
      size: { label: 'Size', type: 'select', options: ['Small', 'Large & tall'] },
      wrap: { label: 'Wrap', type: 'radio', options: ['Box', 'Bag & bow'] },
      extras: { label: 'Extras', type: 'checkboxes', options: ['Card', 'Gift, signed', 'Ribbon'], max: 2 },
      phone: { label: 'Phone', type: 'tel' }, notes: { label: 'Notes', type: 'textarea', maxLength: 500 },
      terms: { label: 'I agree', type: 'checkbox', required: true },
    },
  },
}), async ({ copied }) => unchecked(await copied('orders')))

test('a form that says what it takes is sent without scripts from HTML that was copied: what is wrong is said, corrected and thanked for', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false, locale: 'de-DE' })
  await page.goto(`${shop.url}/order`)
  await page.getByLabel('Email address').fill('ada')
  await page.getByLabel('Seats').fill('12')
  await page.getByLabel('Size').selectOption('Large & tall')
  await page.getByRole('group', { name: 'Wrap' }).getByLabel('Bag & bow').check()
  for (const extra of ['Card', 'Gift, signed', 'Ribbon']) await page.getByLabel(extra).check()
  await page.getByRole('button').click()
  const said = page.locator('li')
  await said.nth(3).waitFor()
  expect(await said.allTextContents()).toEqual([
    'Email address Das ist keine E-Mail-Adresse wie ada@example.com.', 'Seats Bitte höchstens 9.',
    'Extras Bitte höchstens 2.', 'I agree Bitte füllen Sie das aus.',
  ])
  await page.goBack()
  expect(await page.getByLabel('Size').inputValue()).toBe('Large & tall')
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('Seats').fill('3')
  await page.getByLabel('Ribbon').uncheck()
  await page.getByLabel('I agree').check()
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: 'Vielen Dank!' }).waitFor()
  const card = await cardOf(d, new URL(page.url()).searchParams.get('id')!)
  expect(blockText(card.blocks)).toContain('Large & tall')
  expect(blockText(card.blocks)).toMatch(/Wrap\nBag & bow\n[^]*Extras\nCard\nGift, signed\n/)
})

test('what is wrong is 422 with what to change by key, for scripts, and stores nothing', async () => {
  const send = (body: object) => postJson(`${d.server.url}/api/form/orders`, body, { 'accept-language': 'fr' })
  const refused = await send({ email: 'ada@example.com', seats: 0, terms: true, hack: 1 })
  expect([refused.status, await refused.json()]).toEqual([422, {
    code: 'INVALID_FIELDS', error: expect.stringContaining('`fields`'), message: expect.stringContaining('`fields`'),
    fields: { seats: 'Au moins 1.', hack: 'Ce formulaire n’a pas ce champ.' },
  }])
  expect(refused.headers.get('access-control-allow-origin')).toBe(null)
  expect((await send({ email: 'ada@example.com', terms: true })).status).toBe(200)
  // The honeypot catches this form, so it gets no validation errors.
  expect((await send({ email: 'x', _gotcha: 'x' })).status).toBe(200)
})

test('a form tells anybody what it takes, as JSON Schema and as HTML', async () => {
  const schema = await fetch(`${d.server.url}/api/form/orders/schema`)
  expect([schema.headers.get('content-type'), schema.headers.get('access-control-allow-origin')]).toEqual([
    'application/schema+json', '*',
  ])
  expect(await schema.json()).toMatchObject({ required: ['email', 'terms'], additionalProperties: false })
  const html = await copied('orders')
  for (const part of [
    'name="email" required type="email"', 'min="1" max="9"', 'maxlength="500"', '>Large &amp; tall</option>',
    'name="_gotcha" tabindex="-1"', `action="${d.server.url}/api/form/orders"`,
  ]) expect(html).toContain(part)
  expect(html).not.toContain('<script')
  expect(html).not.toContain('This preview')
  const preview = await fetch(`${d.server.url}/api/form/orders/embed`, { headers: { accept: 'text/html' } })
  expect(await preview.text()).toContain(`This preview cannot be sent: only ${shop.url} may send it.`)
  for (const what of ['schema', 'embed']) {
    expect((await fetch(`${d.server.url}/api/form/nothing/${what}`)).status).toBe(404)
  }
})

/** Submits a form with a value of every type that cards show in words; resolves with the submission's id. */
const order = () => submitForm(
  d.server, {
    email: 'ada@example.com', seats: 2, size: 'Small', day: '2026-11-22', wrap: 'Box', extras: ['Card'], terms: true,
  }, '/orders',
)

const emailOf = (id: string) => until(
  'the email', async () => (await d.resend.emails()).find(({ html }) => html.includes(id)),
)

test('who edits a field on Slack picks what it takes, and is told what is wrong', async () => {
  const id = await order()
  const card = await cardOf(d, id)
  expect(blockText(card.blocks)).toMatch(/Day\n22 November 2026\n[^]*I agree\nYes/)
  const view = await openEdit(d, card, id)
  expect(viewProblems(view)).toEqual([])
  expect((view.blocks as Block[]).map(({ element }) => element.type)).toEqual([
    'email_text_input', 'number_input', 'datepicker', 'static_select', 'radio_buttons',
    'multi_static_select', 'radio_buttons',
  ])
  expect(await submitEdit(d, view, { f1: '10' })).toEqual({
    response_action: 'errors', errors: { f1: 'At most 9, please.' },
  })
  await submitEdit(d, view, { f1: '3', f2: 'Large & tall', f3: '2026-12-24', f5: 'Card\nRibbon' })
  const { text } = await emailOf(id)
  expect(text).toMatch(/Seats \(edited\): 3[^]*Day \(edited\): 24 December 2026[^]*Size \(edited\): Large & tall/)
  expect(text).toMatch(/Extras \(edited\):\s+Card\s+Ribbon/)
  expect(text).toMatch(/I agree: Yes/)
})

test('OpenAPI describes what is really answered', async () => {
  type Content = Record<string, { schema: { $ref: string } }>
  interface Document {
    paths: Record<string, Record<string, { responses: Record<string, { content?: Content }> }>>
    components: { schemas: Record<string, object> }
  }
  const { paths, components } = await (await fetch(`${d.server.url}/api/openapi.json`)).json() as Document
  const good = { email: 'ada@example.com', terms: true }
  const form = (path: string, body: unknown, headers = {}) => ['post', path, {
    body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers },
  }] as const
  const asked: (readonly [string, string, RequestInit?, string?])[] = [
    form('/api/form', { any: 'thing' }), form('/api/form', []), form('/api/form', {}, { 'content-type': 'text/csv' }),
    form('/api/form/orders', good), form('/api/form/orders', {}),
    form('/api/form/orders', good, { origin: 'https://x.example' }),
    ['post', '/api/form/orders', { body: new URLSearchParams({}), headers: { accept: 'text/html' } }],
    ['post', '/api/form/orders', {
      body: new URLSearchParams({ ...good, terms: 'on' }), headers: { accept: 'text/html' },
    }],
    [...form('/api/form/nothing', {}), '/api/form/{form}'],
    ['get', '/api/form/orders/schema', {}, '/api/form/{form}/schema'],
    ['get', '/api/form/orders/embed', {}, '/api/form/{form}/embed'],
    ['get', '/api/form/nothing/embed', {}, '/api/form/{form}/embed'],
    ['get', '/api/thanks'], ['get', '/api/health'], ['get', '/api/ready'], ['get', '/api/auth/session'],
    form('/api/auth/sign-in', { name: 'Ada', password: 'wrong' }), form('/api/auth/sign-out', {}),
    [...form('/api/mail/events', {})], ['get', '/api/slack/manifest', {}, '/api/{platform}/manifest'],
    ['get', '/api/auth/slack', {}, '/api/auth/{platform}'],
    [...form('/api/webhooks/nothing', {}), '/api/webhooks/{platform}'],
    [...form('/api/webhooks/slack', {}), '/api/webhooks/{platform}'], ['get', '/api/openapi.json'],
  ]
  const seen = new Set<number>()
  for (const [method, path, init = {}, told = path] of asked) {
    const answer = await fetch(`${d.server.url}${path}`, { ...init, method, redirect: 'manual' })
    const name = `${method} ${path}: ${answer.status}`
    const { content } = paths[told]![method]!.responses[answer.status] ?? expect.fail(`${name} is not described`)
    seen.add(answer.status)
    const text = await answer.text()
    const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
    if (!content) expect(text, name).toBe('')
    else expect(Object.keys(content), name).toContain(type)
    if (!content || type !== 'application/json') continue
    const schema = components.schemas[content[type]!.schema.$ref.split('/').at(-1)!]
    const { error } = z.fromJSONSchema(schema as never).safeParse(JSON.parse(text))
    expect(error?.issues ?? [], name).toEqual([])
  }
  expect([...seen].sort()).toEqual(expect.arrayContaining([200, 303, 400, 401, 403, 404, 415, 422]))
})

test('its HTML is seen at work, accessible, on every screen', async () => {
  const page = await browser.newPage()
  await page.goto(`${d.server.url}/api/form/orders/embed`)
  await looks(page, 'embed')
  await page.goto(`${shop.url}/order`)
  await page.getByRole('button').click()
  await page.locator('li').first().waitFor()
  await looks(page, 'fields')
})
