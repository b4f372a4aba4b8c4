import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { openPage, screenshot, startBrowser } from '../support/browser'
import { submitForm } from '../support/deployment'
import { startIdentityDouble } from '../support/identity'
import { endAfterAll, endAfterTest, sharedFolder } from '../support/lifetime'
import { pictures } from '../support/pictures'
import { freePort } from '../support/ports'
import { startRedis } from '../support/redis-server'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { PASSWORD, QUIET_PRODUCTION, WITH_PASSWORD } from '../support/visitor'

let page: Page
let problems: string[]
/** Pattern of browser console errors that the test expects */
let expected: RegExp | null
let address = 0

const browser = endAfterAll(await startBrowser())
const platforms = endAfterAll(await startIdentityDouble())
const port = String(await freePort())
const env = {
  PORT: port, NUXT_PUBLIC_SITE_URL: `http://127.0.0.1:${port}`, NODE_ENV: 'development', DATA_DIR: sharedFolder(),
  TRUST_PROXY: '1', ...WITH_PASSWORD, ...platforms.env,
}
let server = await startServer(env)
afterAll(() => server.kill())
beforeEach(async () => {
  expected = null
  ;({ page, problems } = await openPage(browser, { 'x-forwarded-for': `203.0.113.${++address}` }))
})
afterEach(async () => {
  await page.close()
  expect(problems.filter(problem => !expected?.test(problem))).toEqual([])
})

async function fill(password: string, name = 'Ada Lovelace') {
  await page.getByTestId('name').fill(name)
  await page.getByTestId('password').fill(password)
  await page.getByTestId('sign-in').click()
}

const pathOf = () => page.url().replace(server.url, '')

describe('the sign-in page', () => {
  it('stands before the page that was wanted, and leads to it by the keyboard alone', async () => {
    await page.goto(`${server.url}/submissions/0b1f?tab=history#top`)
    await page.getByTestId('sign-in').waitFor()
    expect(pathOf()).toBe('/sign-in?to=/submissions/0b1f?tab=history%23top')
    await pictures(page, 'sign-in')
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    expected = /404/
    await page.keyboard.type('Ada Lovelace')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/submissions/0b1f?tab=history#top`)
    await page.goto(`${server.url}/sign-in`)
    await page.waitForURL(`${server.url}/`)
  })

  it('says that the password is wrong, keeps the name and asks again', async () => {
    expected = /401/
    await page.goto(`${server.url}/`)
    await fill('wrong')
    expect(await page.getByTestId('problem').textContent()).toContain('The password is wrong.')
    await pictures(page, 'sign-in-wrong')
    expect(await page.getByTestId('name').inputValue()).toBe('Ada Lovelace')
    expect(await page.getByTestId('password').inputValue()).toBe('')
    expect(await page.locator(':focus').getAttribute('name')).toBe('password')
    await fill(PASSWORD)
    await page.waitForURL(`${server.url}/`)
  })

  it('leads nowhere but to this site', async () => {
    await page.goto(`${server.url}/sign-in?to=//evil.example`)
    await fill(PASSWORD)
    await page.waitForURL(`${server.url}/`)
  })

  it('goes to a platform and comes back signed in', async () => {
    await page.goto(`${server.url}/?x=1`)
    await page.getByTestId('sign-in-discord').click()
    await page.waitForURL(`${server.url}/?x=1`)
    expect(
      await page.evaluate(async () => (await (await fetch('/api/auth/session')).json()).viewer.name),
    ).toBe('Ada L.')
  })

  it('has no serious accessibility finding, light or dark, wide or narrow, and nothing to scroll sideways', async () => {
    await page.goto(`${server.url}/sign-in?problem=expired`)
    await page.getByTestId('sign-in').waitFor()
    await pictures(page, 'sign-in-expired')
    await page.goto(`${server.url}/sign-in`)
    await page.getByTestId('sign-in').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html.${colorScheme}`).waitFor()
      for (const [size, width, height] of [['desktop', 1280, 860], ['phone', 375, 812]] as const) {
        await page.setViewportSize({ width, height })
        await screenshot(page, `ops-sign-in-${colorScheme}-${size}`)
      }
    }
  })
})

describe('a session that ended while a page was open', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' })
  /** Ends all sessions, on every page at once. */
  async function endSessions() {
    await server.kill()
    env.NUXT_SESSION_PASSWORD = `another-${env.NUXT_SESSION_PASSWORD}`
    server = await startServer(env)
  }

  it('keeps what was typed, and sends it once somebody has signed in, here or at a platform in a tab of its own', async () => {
    expected = /401|410|ERR_(CONNECTION|INCOMPLETE|EMPTY|CONTENT_LENGTH|SOCKET)/
    for (const isAtPlatform of [false, true]) {
      const id = await submitForm(server, { name: 'Ada', message: 'Hello' })
      await page.goto(`${server.url}/sign-in?to=/submissions/${id}`)
      if (!isAtPlatform) await fill(PASSWORD)
      await page.getByTestId('decide-edit').click()
      await page.getByTestId('edit-f1').fill('Typed with care')
      await endSessions()
      // Dispatch the event instead of a click: the dialog may already cover the page.
      await page.getByTestId('edit-submit').dispatchEvent('click')
      await dialog().getByTestId('password').waitFor()
      if (!isAtPlatform) {
        expect(await seriousFindings(page)).toEqual([])
        await page.keyboard.press('Escape')
        expect(await page.getByTestId('edit-f1').inputValue()).toBe('Typed with care')
        await fill(PASSWORD, 'Grace Hopper')
      }
      else {
        const [tab] = await Promise.all([
          page.context().waitForEvent('page'), dialog().getByTestId('sign-in-discord').click(),
        ])
        // The tab closes itself if the browser allows it, perhaps during the check.
        await tab.getByTestId('done').waitFor().catch((error) => { if (!tab.isClosed()) throw error })
        await tab.close()
      }
      const name = isAtPlatform ? /Ada L\. on Discord/ : /Grace Hopper/
      await page.getByText(/Edited and forwarded by/).getByText(name).first().waitFor()
      expect(pathOf()).toBe(`/submissions/${id}`)
    }
  })
})

describe('the policy of the pages', () => {
  it('keeps out scripts that are not of the build, inline handlers and other sites', async () => {
    expected = /Content Security Policy/
    await page.goto(`${server.url}/sign-in`)
    await page.getByTestId('sign-in').waitFor()
    await page.evaluate(`
      globalThis.blocked = []
      document.addEventListener('securitypolicyviolation', event => blocked.push(event.effectiveDirective))
      const script = document.createElement('script')
      script.textContent = 'globalThis.injected = true'
      document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.injected = true"><iframe src="https://evil.example"></iframe>')
      void fetch('https://evil.example').catch(() => {})
    `)
    for (const directive of ['script-src-elem', 'script-src-attr', 'frame-src', 'connect-src']) {
      await until(`${directive} to be refused`, () => page.evaluate(`blocked.includes('${directive}')`))
    }
    expect(await page.evaluate('"injected" in globalThis')).toBe(false)
  })

  it('stands on every page, beside headers that keep it from being framed, sniffed or traced', async () => {
    for (const path of ['/', '/sandbox', '/submissions/x', '/no/such/page']) {
      const { headers } = await fetch(server.url + path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining('frame-ancestors \'none\''),
        'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      })
      expect(headers.get('x-powered-by')).toBeNull()
    }
    expect((await fetch(`${server.url}/api/submissions/x`)).headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('in production without a way to sign in', () => {
  it('every page says what to set', async () => {
    expected = /403/
    const redis = endAfterTest(await startRedis())
    const closed = endAfterTest(await startServer({ ...QUIET_PRODUCTION, STORE_URL: redis.url }))
    await page.goto(`${closed.url}/submissions/x`)
    expect(await page.getByTestId('closed').textContent()).toContain('OPS_PASSWORD')
    await pictures(page, 'sign-in-closed')
    // Leave the page first: it may still be loading scripts in the background.
    await page.goto('about:blank')
  })
})
