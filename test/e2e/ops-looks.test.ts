import { createClient } from 'redis'
import { expect, test } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { Submission } from '../../server/ports/submission'
import { seriousFindings } from '../support/accessibility'
import { fits, openPage, pressEnter, screenshot, setLetters, startBrowser } from '../support/browser'
import { deploy, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { pictures } from '../support/pictures'
import { waiting } from '../support/seed'
import { until } from '../support/until'

// Pages with all kinds of content, in both themes, wide and narrow. SCREENSHOTS=docs takes the pictures of docs/.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ADA = { id: 'U1', name: 'Ada Lovelace', platform: 'Slack' }
const slack = { platform: 'slack', threadId: 'slack:C000000001:1.2', messageId: '1700000000.000100' }

/** Returns a submission received this many minutes ago. */
function of(minutes: number, data: Record<string, unknown>, changes: Partial<Submission> = {}): Submission {
  return waiting({ receivedAt: Date.now() - minutes * MINUTE, data, cards: [slack], ...changes })
}

const later = Date.now() + 10 * HOUR
const decision = { action: 'forward' as const, reviewer: ADA, at: Date.now() }
const SUBMISSIONS = [
  of(1, {
    name: 'Ada Lovelace', email: 'ada@example.com', quantity: 2, newsletter: false, company: 'Analytical Engines Ltd.',
  }),
  of(
    4,
    {
      name: 'Grace Hopper', email: 'grace@example.com', subject: 'Compiler workshop',
      message: 'Could you run your workshop for our team of twelve? We are flexible about dates in the first half of the year.',
    },
  ),
  of(23, {
    name: 'Mary Somerville', company: 'Somerville & Sons',
    message: 'We would like a tour of the engine for six people in March.',
  }, {
    state: 'settling', decision,
    work: [{ key: 'email#2', kind: 'email', attempts: 3, reason: 'Resend answered 500.', dueAt: later }],
  }),
  of(48, {
    'your-name': 'SEO Experts Ltd',
    'your-message': 'Dear sir, get ranked #1 on Google today!!! <a href="https://spam.example">click</a>',
  }),
  of(120, {
    name: 'Hedy Lamarr', email: 'hedy@example.com',
    order: {
      items: [{ sku: 'AE-1', count: 2 }, { sku: 'AE-7', count: 1 }], address: { city: 'Vienna', note: 'ring twice' },
    },
    total: 199.5,
    message: 'Dear team,\n\nplease send it before the premiere, and put the invoice into the box.\n\nYours, H. L.',
  }),
  of(300, { email: 'dorothy@example.com', question: 'Is the manual available in French?' }, {
    failures: [{ delivery: 'endpoint', reason: 'crm.example.com answered 401. Check the token in FORWARD_ENDPOINT.' }],
  }),
  of(1560, { name: '<img src=x onerror=alert(1)>', message: 'at https://google.com@xn--pple-43d.com/x. or javascript:alert(1)' }),
  of(4000, { name: 'Radia Perlman', company: 'Spanning Tree Inc.', message: 'Please call me back about the bridge.' }, {
    state: 'settling', decision, work: [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: later }],
  }),
]

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))
const browser = endAfterAll(await startBrowser())
const client = await createClient({ url: d.redis.url }).connect()
const store = new RedisStore(client as ConstructorParameters<typeof RedisStore>[0], storeRules)
for (const each of SUBMISSIONS) {
  const begun: Submission = { ...each, state: 'open', decision: null, work: [], failures: [] }
  await store.create(begun)
  // The update adds the submission to the indexes of its current state.
  await store.replace(begun, { ...each, version: each.version + 1 })
}
const hour = Math.floor(Date.now() / HOUR) * HOUR
const shape = [2, 1, 0, 1, 3, 6, 11, 16, 19, 17, 14, 12, 15, 18, 21, 17, 13, 9, 7, 6, 5, 4, 3, 7]
for (const [index, received] of shape.entries()) {
  const counts = {
    received, forwarded: Math.floor(received * 0.55), edited: Math.floor(received * 0.12),
    spam: Math.floor(received * 0.25), ...index === 14 && { failed: 1 },
  }
  for (const [name, count] of Object.entries(counts)) if (count > 0) {
    await client.hSet(`{triage}:tally:${hour - (23 - index) * HOUR}`, name, count)
  }
}
await client.hSet('{triage}:health', {
  'email:success': Date.now() - 5 * MINUTE,
  'email:error': JSON.stringify({ at: Date.now() - MINUTE, reason: 'Resend answered 500.' }),
  'endpoint:success': Date.now() - HOUR,
})
await store.close()
await until('the server to be ready', async () => (await fetch(`${d.server.url}/api/ready`)).ok)
const { page, problems } = await openPage(browser)

const PAGES = [
  { name: 'list', path: '/', shown: () => page.getByTestId('row').nth(7) },
  { name: 'status', path: '/status', shown: () => page.getByTestId('stuck-list') },
  { name: 'submission', path: `/submissions/${SUBMISSIONS[4]!.id}`, shown: () => page.getByTestId('history') },
]

test.each(PAGES)('$name: fits, light and dark, wide and on a phone, and axe finds nothing serious', async ({ name, path, shown }) => {
  for (const [size, viewport] of [
    ['desktop', { width: 1280, height: 860 }], ['phone', { width: 375, height: 812 }],
  ] as const) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(d.server.url + path)
      await shown().waitFor()
      await page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
      await page.locator(`html.${colorScheme}`).waitFor()
      await fits(page)
      // Nothing extends beyond the page's main column either.
      expect(
        await page.evaluate('[...document.querySelectorAll("main *")].filter(part => part.getClientRects().length > 0 && part.getBoundingClientRect().right > document.querySelector("main").getBoundingClientRect().right - 15).map(part => part.outerHTML.slice(0, 80))'),
      ).toEqual([])
      expect(await seriousFindings(page, colorScheme === 'light' ? 'all' : 'colours')).toEqual([])
      await screenshot(page, `ops-${name}-${colorScheme}-${size}`)
    }
  }
  await page.setViewportSize({ width: 320, height: 640 })
  await fits(page)
  await screenshot(page, `ops-${name}-narrow`)
  await page.setViewportSize({ width: 390, height: 860 })
  await setLetters(page, 2)
  await fits(page)
  await screenshot(page, `ops-${name}-large`)
  await setLetters(page, 1)
  expect(problems).toEqual([])
})

test('print is the submission in full and in dark ink, its times with day and zone, without buttons and ways to elsewhere', async () => {
  const engines = Array.from({ length: 60 }, (_, index) => `Engine ${index} ${'x'.repeat(30)}`)
  const from = 'ada@example.com, of https://example.com/engines'
  const { id } = await submit(d, { essay: 'Dear team,\n'.repeat(40), from, order: { of: { engines } } })
  await d.server.drain()
  await page.goto(`${d.server.url}/submissions/${id}`)
  await page.getByRole('button', { name: 'Show all 440 characters' }).waitFor()
  const main = page.locator('main')
  expect(await main.innerText()).toMatch(/just now|\d (s|min) ago/)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.locator('html.dark').waitFor()
  const essay = page.getByTestId('submission-field').filter({ hasText: 'essay', visible: true })
  await until('the essay unfolded', async () => (await essay.textContent())!.split('Dear team').length === 41)
  const tree = page.getByTestId('submission-field').filter({ hasText: 'order', visible: true })
  await until('the tree unfolded', async () => (await tree.innerText()).split(/Engine \d+/).length === 61)
  expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(0, 0, 0)')
  for (const pressed of [page.getByRole('button'), page.getByRole('navigation'), page.getByText('All submissions')]) {
    expect(await pressed.filter({ visible: true }).count()).toBe(0)
  }
  // Relative times are useless on paper.
  const printed = await main.innerText()
  expect(printed).not.toMatch(/just now|\bago\b|\bin \d/)
  const times = await main.locator('time').filter({ visible: true }).allInnerTexts()
  expect(times.length).toBeGreaterThanOrEqual(5)
  for (const time of times) expect(time).toMatch(/^\w{3} \d{1,2}, 20\d\d, \d\d:\d\d [AP]M UTC$/)
  for (const part of [/As it was on \w{3} \d/, new RegExp(from)]) expect(printed).toMatch(part)
  await screenshot(page, 'submission-print')
  await page.emulateMedia({ media: null, colorScheme: null })
  await until('the tree as it was', async () => !(await tree.innerText()).includes('Engine'))
})

const AWAY = { status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' } }

test('what cannot be loaded, or does not exist, is said at the heading, and trying again leads to what comes', async () => {
  const path = `/submissions/${SUBMISSIONS[4]!.id}`
  await page.route(/\/api\/submissions/, route => route.fulfill(AWAY))
  await page.goto(d.server.url)
  await page.getByTestId('list-error').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.goto(d.server.url + path)
  await page.locator('h1:focus').waitFor()
  await pictures(page, 'submission-error')
  await page.unroute(/\/api\/submissions/)
  await pressEnter(page.getByRole('button', { name: 'Try again' }))
  await page.locator('h1:focus').filter({ hasText: 'Form submission' }).waitFor()
  await page.goto(`${d.server.url}/nowhere`)
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor()
  await pictures(page, 'no-page')
  await pressEnter(page.getByRole('button', { name: 'Go to the start page' }))
  await page.locator('h1:focus', { hasText: 'Submissions' }).waitFor({ timeout: 5000 })
  problems.splice(0)
})

const IS_SEEN = `(() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect()
  return document.activeElement.contains(document.elementFromPoint(left + width / 2, top + height / 2))
})()`

test('nothing that stays at an edge of the window hides what has the focus', async () => {
  const { id } = await submit(d, Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field ${index}`, 'x'])))
  await page.route('**/decision', route => route.fulfill(AWAY))
  await page.goto(`${d.server.url}/submissions/${id}#edit`)
  await page.getByTestId('edit-submit').click()
  await page.getByTestId('refusal').waitFor()
  for (const [width, height] of [[1280, 640], [320, 500], [320, 256]] as const) {
    await page.setViewportSize({ width, height })
    await page.getByTestId('edit-f0').focus()
    for (const [index, key] of Array.from({ length: 24 }, (_, at) => at < 12 ? 'Tab' : 'Shift+Tab').entries()) {
      await page.keyboard.press(key)
      expect(await page.evaluate<boolean>(IS_SEEN), `${height} px, ${key} ${index}`).toBe(true)
    }
  }
  await page.unroute('**/decision')
  problems.splice(0)
})

/** Contrast ratio between the focus outline and the page, as defined by WCAG 2 */
const CONTRAST = `(() => {
  const pen = document.createElement('canvas').getContext('2d')
  const ground = getComputedStyle(document.querySelector('header')).backgroundColor
  const lights = [[ground], [ground, getComputedStyle(document.activeElement).outlineColor]].map((colours) => {
    for (const colour of ['#fff', ...colours]) Object.assign(pen, { fillStyle: colour }).fillRect(0, 0, 1, 1)
    const [red, green, blue] = [...pen.getImageData(0, 0, 1, 1).data].map(part => ((part / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
  })
  return Math.max(...lights) / Math.min(...lights)
})()`

test('a button that has the focus stands out; with large letters on a phone, state and times of a row do not overlap', async () => {
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.goto(d.server.url)
  await page.getByTestId('row').nth(7).waitFor()
  await page.getByTestId('commands').focus()
  for (const key of ['Tab', 'Tab']) {
    await page.keyboard.press(key)
    await page.locator('button:focus-visible').waitFor()
    // The outline's colour fades in.
    await until('the focus to stand out', async () => await page.evaluate<number>(CONTRAST) >= 3, 5000)
  }
  await page.setViewportSize({ width: 390, height: 860 })
  await setLetters(page, 2)
  const row = page.getByTestId('row').last()
  await row.scrollIntoViewIfNeeded()
  const [state, ...times] = await Promise.all(['.ops-row-state', '.ops-row-times dt', '.ops-row-times dd'].map(
    async part => (await row.locator(part).last().boundingBox())!,
  ))
  expect(times.every(({ x, y }) => x >= state!.x + state!.width || y >= state!.y + state!.height)).toBe(true)
  await setLetters(page, 1)
  await page.setViewportSize({ width: 1280, height: 860 })
})

const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()')

/** Resolves once a button shows that it has copied. It shows this for two seconds, so polling may miss it. */
const copied = () => page.evaluate(
  'new Promise(resolve => new MutationObserver(() => document.querySelector("[aria-label=Copied]") && resolve()).observe(document.body, { subtree: true, attributes: true }))',
)

test('values are copied, and an address in one opens only after a look at where it leads', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: d.server.url })
  await page.goto(`${d.server.url}/submissions/${SUBMISSIONS[6]!.id}`)
  await until('the heading', async () => (await focused()).startsWith('Form submission'))
  await Promise.all([copied(), pressEnter(page.getByRole('button', { name: 'Copy name' }))])
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('<img src=x onerror=alert(1)>')
  expect(await page.getByTestId('address').count()).toBe(1)
  await pressEnter(page.getByTestId('address'))
  await page.getByTestId('address-warning').getByText('leads to xn--pple-43d.com').waitFor()
  expect(await page.getByTestId('address-full').textContent()).toContain('https://google.com@xn--pple-43d.com/x')
  expect(await page.getByTestId('address-open').getAttribute('rel')).toBe('noopener noreferrer')
  await pictures(page, 'ops-address')
  await page.setViewportSize({ width: 320, height: 256 })
  const dialog = page.getByRole('dialog')
  const [whole, title] = await Promise.all([dialog, dialog.getByRole('heading')].map(part => part.boundingBox()))
  expect(title!.y - whole!.y).toBeGreaterThan(12)
  await page.keyboard.press('Escape')
  await until('the address', async () => (await focused()).includes('google.com'))
})

const chosen = (name: string) => (
  page.locator('[role=option][data-highlighted]').filter({ hasText: name }).first().waitFor()
)

/** Waits until the command palette has the focus. */
const palette = () => page.getByTestId('palette').locator('input:focus').waitFor()

test('the palette finds what can be done here, and the help lists the keys', async () => {
  await page.goto(d.server.url)
  await page.getByTestId('row').nth(7).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('?')
  await page.getByTestId('shortcuts').getByText('Mark as Spam').waitFor()
  // The key has no effect while a dialog is open.
  await page.keyboard.press('x')
  await pictures(page, 'ops-help')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByTestId('selection').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await palette()
  await pictures(page, 'ops-palette')
  await page.keyboard.type('select')
  await chosen('Select')
  await page.keyboard.press('Enter')
  await page.getByTestId('selection').getByText('1 selected').waitFor()
  await page.getByTestId('commands').click()
  await palette()
  await page.keyboard.type('status')
  await chosen('Status')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor()
})

test('in colours that the reader chose, icons, edges, what is chosen and the focus are still seen', async () => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(d.server.url)
  await page.getByTestId('row').nth(7).waitFor()
  await page.keyboard.press('j')
  const style = (selector: string, of: string) => (
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${of}`)
  )
  const ground = await style('body', 'backgroundColor')
  for (const seen of ['[data-testid=commands] .iconify', '[aria-pressed=true]', 'ul [aria-current=page]']) {
    expect(await style(seen, 'backgroundColor'), seen).not.toBe(ground)
  }
  for (const seen of ['[data-testid=search]', '[data-testid=options]', '[data-testid=row] a:focus']) {
    expect(await style(seen, 'outlineStyle'), seen).toBe('solid')
  }
  await page.emulateMedia({ forcedColors: null })
})
