import { expect, test } from 'vitest'
import type { Receipt, Submission } from '../../server/ports/submission'
import { fits, setLetters } from '../support/browser'
import { submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { deployPages, page, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { connectRedis } from '../support/redis-client'
import { become, seed, waiting } from '../support/seed'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

// Rare states of the list, submission and status pages: each fits the window, and axe finds nothing serious.

const later = Date.now() + 10 * 60 * 60 * 1000
const ADA = { id: 'U1', name: 'Ada Lovelace', platform: 'Slack' }
const forward = { action: 'forward' as const, reviewer: ADA, at: Date.now() }
const bounced = {
  delivery: 'email' as const, content: 'x', to: ['team@example.com'], at: Date.now(), messageId: 're_1',
  receipt: { verdict: 'bounced' as const, reason: '550 5.1.1 The account that you tried to reach does not exist.' },
}

/** Returns the changes for an email with this status from the provider. */
const told = (verdict: Receipt['verdict'], reason?: string): Partial<Submission> => {
  const receipt = { verdict, ...reason && { reason } }
  return {
    state: 'settled', decision: forward, keptUntil: later, sent: [{ ...bounced, receipt }],
    delivered: ['email', 'endpoint'],
    history: [
      { at: forward.at - 60_000, event: 'received' }, { event: 'claimed', edited: false, ...forward },
      { at: forward.at, event: 'receipt', receipt },
    ],
  }
}

/** One submission in each unusual state */
const STATES: Record<string, Partial<Submission>> = {
  retrying: {
    state: 'settling', decision: forward,
    work: [{ key: 'email#2', kind: 'email', attempts: 3, reason: 'Resend answered 500.', dueAt: later }],
  },
  revocable: {
    state: 'settling', decision: forward, revocableUntil: later,
    work: [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: later }],
  },
  failed: {
    failures: [{ delivery: 'endpoint', reason: 'crm.example.com answered 401. Check the token in FORWARD_ENDPOINT.' }],
  },
  returned: {
    sent: [bounced], delivered: ['endpoint'], failures: [{ delivery: 'email', reason: bounced.receipt.reason }],
  },
  delayed: told('delayed', '452 4.2.2 The mailbox is full.'),
  arrived: told('delivered'),
  complained: told('complained'),
}

const d = endAfterAll(await deployPages({ SPAM_HOLD: '1h', TAKE: '1' }))
// Nuxt reports a missing page.
usePages({ expected: /status of (404|410|503)|NUXT_E1005/ })

const AWAY = { status: 503, json: { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' } }
const open = (path: string) => page.goto(d.server.url + path)
const send = (data: object) => submitForm(d.server, data)
const decide = (id: string, action: string) => postJson(`${d.server.url}/api/submissions/${id}/decision`, { action })
const nothing = () => page.locator('[data-testid^=none-], [data-testid=no-match]').first()

test.each([
  'state=waiting', 'state=delivering', 'state=retrying', 'state=failed', 'state=held', 'state=spam', 'state=done',
  'holder=mine', 'holder=free', 'holder=taken', 'q=nowhere', 'state=done&q=nowhere',
])('nothing is listed by %s', async (query) => {
  await open(`/?${query}`)
  await nothing().waitFor()
  await pictures(page, `empty-${query.replace(/\W/g, '-')}`)
})

test('nothing waits at all', async () => {
  await open('/')
  await page.getByTestId('empty').waitFor()
  await pictures(page, 'empty')
})

test('no submission has this id', async () => {
  await open('/submissions/00000000-0000-4000-8000-000000000000')
  await page.getByRole('heading', { name: 'No such submission' }).waitFor()
  await pictures(page, 'submission-unknown')
})

test.each(Object.keys(STATES))('a submission that is %s', async (state) => {
  const made = waiting({ receivedAt: forward.at - 60_000 })
  await seed(d.redis.url, [made])
  await become(d.redis.url, made.id, STATES[state]!)
  await open(`/submissions/${made.id}`)
  await page.getByTestId('history').waitFor()
  await pictures(page, `submission-${state}`)
})

test('a submission that is held, spam, erased and done', async () => {
  const held = await send({ name: 'Held', _gotcha: 'x' })
  await open(`/submissions/${held}`)
  await page.getByTestId('release').waitFor()
  await pictures(page, 'submission-held')
  const spam = await send({ name: 'Spam' })
  await decide(spam, 'spam')
  await open(`/submissions/${spam}`)
  await page.getByTestId('reopen').waitFor()
  await pictures(page, 'submission-spam')
  await decide(spam, 'erase')
  await d.server.drain()
  await page.getByTestId('submission-ended').waitFor()
  await pictures(page, 'submission-erased')
  const done = await send({ name: 'Done' })
  await decide(done, 'forward')
  await d.server.drain()
  await open(`/submissions/${done}`)
  await page.getByTestId('submission-ended').waitFor()
  await pictures(page, 'submission-done')
  await open('/?state=done')
  await page.getByTestId('row').first().waitFor()
  await pictures(page, 'list-done')
  await open('/?state=held')
  await page.getByTestId('row').first().waitFor()
  await pictures(page, 'list-held')
})

test('what is asked before a forward, and before an email is sent again', async () => {
  const returned = waiting()
  await seed(d.redis.url, [returned])
  await become(d.redis.url, returned.id, STATES.returned!)
  await open(`/submissions/${returned.id}`)
  await page.getByTestId('decide-resend').click()
  await page.getByTestId('resend-to').waitFor()
  await pictures(page, 'question-resend')
  await open(`/submissions/${await send({ name: 'Ask' })}`)
  await page.getByTestId('decide-forward').click()
  await page.getByTestId('confirm').waitFor()
  await pictures(page, 'question-forward')
})

test('many are under way', async () => {
  for (const name of ['One', 'Two', 'Three']) await send({ name, message: 'Together' })
  await open('/?q=together')
  await page.getByTestId('row').nth(2).waitFor()
  await page.getByTestId('select-page').click()
  await page.getByTestId('many-spam').click()
  const { promise: held, resolve: letGo } = Promise.withResolvers<undefined>()
  await page.route('**/decisions', route => held.then(() => route.continue()))
  await page.getByTestId('confirm').click()
  await page.getByTestId('bulk-stop').waitFor()
  await pictures(page, 'many-under-way')
  letGo(undefined)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the list and a submission cannot be loaded, and a page that does not exist', async () => {
  const id = await send({ name: 'Broken' })
  await page.route(/\/api\/submissions/, route => route.fulfill(AWAY))
  await open('/')
  await page.getByTestId('list-error').waitFor()
  await pictures(page, 'list-error')
  await open(`/submissions/${id}`)
  await page.getByTestId('submission-error').waitFor()
  await pictures(page, 'submission-error')
  await open('/nowhere')
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor()
  await pictures(page, 'no-page')
})

test('Redis may throw submissions away', async () => {
  const client = await connectRedis(d.redis.url)
  await client.configSet({ 'maxmemory-policy': 'allkeys-lru' }).finally(() => client.destroy())
  await open('/status')
  await page.getByTestId('verdict').getByText('Redis throws submissions away when its memory is full').waitFor()
  await pictures(page, 'status-eviction')
})

test('the panels of the list: what the search understands, and what else can be chosen', async () => {
  await open('/')
  await page.getByTestId('row').first().waitFor()
  for (const panel of ['search-help', 'options']) {
    await page.getByTestId(panel).click()
    await page.locator('[aria-expanded=true]').waitFor()
    await pictures(page, `panel-${panel}`)
    // At this width, the search shares a line or has its own.
    await page.setViewportSize({ width: 1100, height: 860 })
    await fits(page)
    await page.getByTestId(panel).click()
  }
})

test('with large letters on a phone, the state of a row and its times do not overlap', async () => {
  await seed(d.redis.url, [waiting({ receivedAt: Date.now() - 10_000_000 })])
  await page.setViewportSize({ width: 390, height: 860 })
  await open('/')
  const row = page.getByTestId('row').last()
  await setLetters(page, 2)
  await row.scrollIntoViewIfNeeded()
  const [state, ...times] = await Promise.all(['.ops-row-state', '.ops-row-times dt', '.ops-row-times dd'].map(
    async part => (await row.locator(part).last().boundingBox())!,
  ))
  expect(times.every(({ x, y }) => x >= state!.x + state!.width || y >= state!.y + state!.height)).toBe(true)
})

/** Contrast ratio by WCAG 2, between the focus outline and the page */
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

test('a button that has the focus stands out from the page', async () => {
  await open('/')
  await page.getByTestId('total').or(page.getByTestId('empty')).first().waitFor()
  await page.getByTestId('commands').focus()
  for (const key of ['Tab', 'Tab']) {
    await page.keyboard.press(key)
    await page.locator('button:focus-visible').waitFor()
    // The outline's colour fades in.
    const contrast = () => page.evaluate<number>(CONTRAST)
    await until('the focus to stand out', async () => await contrast() >= 3, 5000)
  }
})

const IS_SEEN = `(() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect()
  return document.activeElement.contains(document.elementFromPoint(left + width / 2, top + height / 2))
})()`

test('nothing that stays at an edge of the window hides what has the focus', async () => {
  const id = await send(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field ${index}`, 'x'])))
  await page.route('**/decision', route => route.fulfill(AWAY))
  await open(`/submissions/${id}#edit`)
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
})
