import { createClient } from 'redis'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import type { Submission } from '../../server/ports/submission'
import { seriousFindings } from '../support/accessibility'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { deploy, type Deployment } from '../support/deployment'
import { waiting } from '../support/seed'
import { until } from '../support/until'

// Pages with something of everything on them, in both themes, wide and narrow. SCREENSHOTS=docs takes the pictures of
// docs/.

let d: Deployment
let browser: Browser
let page: Page
let problems: string[]

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ADA = { id: 'U1', name: 'Ada Lovelace', platform: 'Slack' }
const slack = { platform: 'slack', threadId: 'slack:C000000001:1.2', messageId: '1700000000.000100' }

/** A submission of so many minutes ago. */
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
  of(1560, { name: '<img src=x onerror=alert(1)>', message: 'an attempt at markup' }),
  of(4000, { name: 'Radia Perlman', company: 'Spanning Tree Inc.', message: 'Please call me back about the bridge.' }, {
    state: 'settling', decision, work: [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: later }],
  }),
]

beforeAll(async () => {
  [d, browser] = await Promise.all([deploy({ NODE_ENV: 'development' }), startBrowser()])
  const client = await createClient({ url: d.redis.url }).connect()
  const store = new RedisStore(client as ConstructorParameters<typeof RedisStore>[0], storeRules)
  for (const each of SUBMISSIONS) {
    await store.create(each)
    // A change puts it into the indexes of what it is by now.
    await store.replace(each, { ...each, version: each.version + 1 })
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
  ;({ page, problems } = await openPage(browser))
})
afterAll(() => Promise.all([browser.close(), d.close()]))

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
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      // Nothing sticks out of its column either.
      expect(
        await page.evaluate('[...document.querySelectorAll("main *")].filter(part => part.getClientRects().length > 0 && part.getBoundingClientRect().right > document.querySelector("main").getBoundingClientRect().right - 15).map(part => part.outerHTML.slice(0, 80))'),
      ).toEqual([])
      expect(await seriousFindings(page)).toEqual([])
      await screenshot(page, `ops-${name}-${colorScheme}-${size}`)
    }
  }
  expect(problems).toEqual([])
})
