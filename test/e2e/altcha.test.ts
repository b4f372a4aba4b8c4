import type { Challenge } from 'altcha-lib'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { challengeOf, solve, solveFrom } from '../support/altcha'
import { screenshot } from '../support/browser'
import { cardOf, sendForm, serveAlso } from '../support/deployment'
import { freePort } from '../support/ports'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'
import { openWebsite, unchecked } from '../support/website'

const SECRET = 'a secret for the challenges, 32 characters'

const port = String(await freePort())
const url = `http://127.0.0.1:${port}`

/** Website of another origin that allows no styles, and only our script, its requests, and workers from memory */
const { d, shop, browser } = await openWebsite(() => ({
  orders: { name: 'Orders', endpoint: null, fields: { name: { label: 'Your name', required: true } } },
  patient: { name: 'Patient', hold: true, fields: { name: 'Your name' } },
}), async ({ copied }, path) => `
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${url}; connect-src ${url};
    form-action ${url}; worker-src blob:">
  ${path === '/script' ? `<script src="${url}/api/form/orders/embed.js" defer></script>` : ''}
  <main><h1>Shop</h1>${unchecked(await copied('orders'))}</main>`,
{ PORT: port, NUXT_PUBLIC_SITE_URL: url, HUMAN_CHECK: 'altcha', ALTCHA_SECRET: SECRET })

async function send(fields: Record<string, unknown>, { form = '', server = d.server, headers = {} } = {}) {
  const response = await sendForm(server, { name: 'Ada', ...fields }, headers, form)
  const json = await response.json() as { submissionId: string, code?: string }
  await server.drain()
  return { ...json, status: response.status }
}

const posted = (name: string) => d.slack.calls('chat.postMessage').filter(call => JSON.stringify(call).includes(name))

/** Opens a page; fails at the end if it called another host, or if the browser complains or has a cookie. */
async function open(address: string, options = {}): Promise<Page> {
  const page = await browser.newPage(options)
  const problems: string[] = []
  page.on('console', message => /Content.Security|script|ALTCHA/i.test(message.text()) && problems.push(message.text()))
  page.on('pageerror', error => problems.push(error.message))
  page.on('request', (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1|blob|data):/.test(request.url())) problems.push(request.url())
  })
  await page.goto(address)
  onTestFinished(async () => {
    const cookies = await page.context().cookies()
    await page.close()
    expect([...problems, ...cookies]).toEqual([])
  })
  return page
}

describe('a program that sends a form', () => {
  it('gets a challenge from any website, which no cache keeps', async () => {
    const response = await fetch(`${url}/api/challenge`, { headers: { origin: 'https://shop.example' } })
    expect([response.status, ...['access-control-allow-origin', 'cache-control', 'set-cookie'].map(
      name => response.headers.get(name),
    )]).toEqual([200, '*', 'no-store', null])
  })

  it('is taken with a solution, which is not on the card and works once, over all replicas', async () => {
    const altcha = await solveFrom(url)
    const { status, submissionId } = await send({ altcha })
    expect(status).toBe(200)
    expect(JSON.stringify((await cardOf(d, submissionId)).blocks)).not.toContain('altcha')
    const replica = await serveAlso(d, { PORT: String(await freePort()) })
    const refused = { status: 403, code: 'HUMAN_CHECK_FAILED' }
    expect([await send({ altcha }), await send({ altcha }, { server: replica })]).toMatchObject([refused, refused])
    expect(await send({ altcha: await solveFrom(replica.url) })).toMatchObject({ status: 200 })
  })

  it('may send one form again under its Idempotency-Key, and no other form', async () => {
    const altcha = await solveFrom(url)
    const headers = { 'idempotency-key': 'form-1' }
    const first = await send({ altcha }, { headers })
    expect(await send({ altcha }, { headers })).toEqual(first)
    expect(await send({ altcha }, { headers, form: '/orders' })).toMatchObject({ status: 403 })
  })

  it.each([
    ['no solution', async () => undefined],
    ['a solution of another secret', async () => solve(await challengeOf(`${SECRET}!`, 0))],
    ['a solution that is 21 minutes old', async () => solve(await challengeOf(SECRET, 21 * 60_000))],
    ['a changed challenge', async () => {
      const challenge = await (await fetch(`${url}/api/challenge`)).json() as Challenge
      return solve({ ...challenge, parameters: { ...challenge.parameters, cost: 1 } })
    }],
  ])('is refused with %s', async (_, token) => {
    expect(await send({ altcha: await token() })).toMatchObject({ status: 403, code: 'HUMAN_CHECK_FAILED' })
  })

  it('is taken with a solution of our secret', async () => {
    expect(await send({ altcha: await solve(await challengeOf(SECRET, 19 * 60_000)) })).toMatchObject({ status: 200 })
  })

  it('has its form held without a solution, if the form says `hold`', async () => {
    const { status, submissionId } = await send({ name: 'Nobody' }, { form: '/patient' })
    expect([status, posted('Nobody')]).toEqual([200, []])
    const visitor = visit(d.server)
    await visitor.signIn(PASSWORD)
    expect(await (await visitor.get(`/api/submissions/${submissionId}`)).json()).toMatchObject({
      state: 'held', notes: [expect.stringContaining('human check')],
      history: [{ event: 'received' }, { text: 'Held: its sender did not pass the human check' }],
    })
    const altcha = await solveFrom(url)
    expect(await send({ altcha, name: 'Somebody' }, { form: '/patient' })).toMatchObject({ status: 200 })
    expect(posted('Somebody')).toHaveLength(1)
  })

  it('finds no challenge where the check is off', async () => {
    const server = await serveAlso(d, {
      PORT: String(await freePort()), HUMAN_CHECK: '', ALTCHA_SECRET: '', FORMS_CONFIG: '',
    })
    expect((await fetch(`${server.url}/api/challenge`)).status).toBe(404)
  })
})

describe('a person in a browser', () => {
  it('sends the page of a form, in their language', async () => {
    const page = await open(`${url}/api/form/orders/embed`, { locale: 'de-DE' })
    await page.getByText('Ich bin kein Roboter').waitFor()
    await page.getByLabel('Your name').fill('Page Person')
    expect(await seriousFindings(page, 'all')).toEqual([])
    await screenshot(page, 'altcha')
    await page.getByRole('button', { name: 'Senden' }).click()
    await page.getByRole('heading', { name: 'Vielen Dank!' }).waitFor()
    await d.server.drain()
    expect(posted('Page Person')).toHaveLength(1)
  })

  it('sends the form of a website with a strict policy, and a second one with a new solution', async () => {
    const page = await open(`${shop.url}/script`)
    const button = page.getByRole('button', { name: 'Send' })
    for (const name of ['First Form', 'Second Form']) {
      await page.getByLabel('Your name').fill(name)
      // The second click comes while the browser computes.
      await button.dblclick()
      await until('the empty form', async () => await page.getByLabel('Your name').inputValue() === '')
      expect(await page.getByRole('status').getAttribute('data-state')).toBe('sent')
    }
    await d.server.drain()
    expect([posted('First Form'), posted('Second Form')]).toMatchObject([{ length: 1 }, { length: 1 }])
  })

  it('sends the form of a website without our other script', async () => {
    const page = await open(`${shop.url}/plain`)
    await page.getByLabel('Your name').fill('Plain Person')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
  })

  it('is told what to do without scripts', async () => {
    const page = await open(`${shop.url}/plain`, { javaScriptEnabled: false })
    await page.getByLabel('Your name').fill('No Script')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('We could not tell that a person sent this.').waitFor()
    expect(page.url()).toBe(`${url}/api/form/orders`)
    expect(posted('No Script')).toEqual([])
  })
})
