import { afterAll, describe, expect, it } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { holdRequests, screenshot } from '../support/browser'
import { sendForm, submitForm } from '../support/deployment'
import { startIdentityDouble } from '../support/identity'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { page, usePages } from '../support/pages'
import { freePort } from '../support/ports'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD } from '../support/visitor'
import { botUp } from '../support/webhook'

/** Browser messages about requests that were refused, or that ended with the server */
const expected = /401|410|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_CONTENT_LENGTH|ERR_SOCKET/
let address = 0

const platforms = endAfterAll(await startIdentityDouble())
const port = String(await freePort())
const env = {
  PORT: port, NUXT_PUBLIC_SITE_URL: `http://127.0.0.1:${port}`, NODE_ENV: 'development', DATA_DIR: sharedFolder(),
  TRUST_PROXY: '1', ...WITH_PASSWORD, ...platforms.env,
}
let server = await startServer(env)
afterAll(() => server.kill())
usePages({ expected, headers: () => ({ 'x-forwarded-for': `203.0.113.${++address}` }) })

async function fill(password: string, name = 'Ada Lovelace') {
  await page.getByTestId('name').fill(name)
  await page.getByTestId('password').fill(password)
  await page.getByTestId('sign-in').click()
}

const pathOf = () => page.url().replace(server.url, '')

describe('a session that ended while a page was open', () => {
  /** Ends all sessions, on every page at once. */
  async function endSessions() {
    await server.kill()
    env.NUXT_SESSION_PASSWORD = `another-${env.NUXT_SESSION_PASSWORD}`
    server = await startServer(env)
  }

  async function openSubmission(): Promise<string> {
    const submissionId = await submitForm(server, { name: 'Ada', message: 'Hello' })
    await page.goto(`${server.url}/sign-in?to=/submissions/${submissionId}`)
    await fill(PASSWORD)
    await page.getByTestId('decide-edit').waitFor()
    return submissionId
  }

  // Dispatch events instead of clicks: the dialog may already cover a page that polls by itself.
  const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' })
  const sent = async (text: string) => {
    const state = 'fetch("/api/sandbox/state").then(answer => answer.json())'
    const { emails } = await page.evaluate<{ emails: { text: string }[] }>(state)
    return emails.some(email => email.text.includes(text))
  }

  it('asks for a new one over the list by itself, and the list goes on', async () => {
    await openSubmission()
    await page.getByRole('link', { name: 'All submissions' }).click()
    await page.getByTestId('row').first().waitFor()
    await page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
    await endSessions()
    await dialog().waitFor()
    expect(pathOf()).toBe('/')
    await page.getByTestId('password').waitFor()
    await screenshot(page, 'sign-in-again')
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await fill('wrong')
    await dialog().getByTestId('problem').getByText('The password is wrong.').waitFor()
    await fill(PASSWORD, 'Grace Hopper')
    await dialog().waitFor({ state: 'detached' })
    await page.getByTestId('liveness').filter({ hasText: 'Live' }).waitFor()
    await sendForm(server, { name: 'After the new session' })
    await page.getByTestId('row').filter({ hasText: 'After the new session' }).waitFor()
  })

  it('says so while nobody can tell how to sign in', async () => {
    await openSubmission()
    await page.route('**/api/auth/session', route => route.abort('connectionrefused'))
    await endSessions()
    await dialog().getByTestId('problem').getByText('The server cannot be reached.').waitFor({ timeout: 10_000 })
    await screenshot(page, 'sign-in-away')
    await page.unroute('**/api/auth/session')
    await page.getByTestId('password').waitFor()
  })

  it('is not left twice by whoever presses Sign out again', async () => {
    await openSubmission()
    let asked = 0
    const gate = Promise.withResolvers<undefined>()
    await page.route('**/api/auth/sign-out', async (route) => {
      asked++
      await gate.promise
      await route.continue()
    })
    await page.getByTestId('account').click()
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    await page.keyboard.press('Enter')
    gate.resolve(undefined)
    await page.waitForURL(/sign-in/)
    expect(asked).toBe(1)
  })

  it('keeps what was typed, and sends it once somebody has signed in', async () => {
    const id = await openSubmission()
    await page.getByTestId('decide-edit').click()
    await page.getByTestId('edit-f1').fill('Typed with care')
    await endSessions()
    await page.getByTestId('edit-submit').dispatchEvent('click')
    await dialog().getByTestId('password').waitFor()
    expect(await page.getByTestId('edit-f1').inputValue()).toBe('Typed with care')
    await fill(PASSWORD, 'Grace Hopper')
    await page.getByText(/Edited and forwarded by Grace Hopper/).first().waitFor()
    expect(pathOf()).toBe(`/submissions/${id}`)
    await until('the email', () => sent('Typed with care'))
  })

  it('is renewed over a question, which is answered then', async () => {
    await openSubmission()
    await page.getByTestId('decide-spam').click()
    await page.getByTestId('confirm').waitFor()
    await endSessions()
    await page.getByTestId('confirm').dispatchEvent('click')
    await dialog().getByTestId('password').waitFor()
    await fill(PASSWORD, 'Grace Hopper')
    await page.getByText(/Marked as spam by Grace Hopper/).first().waitFor()
  })

  it('is followed by one at a platform in a tab of its own, and the page goes on by itself', async () => {
    await openSubmission()
    await page.getByTestId('decide-edit').click()
    await page.getByTestId('edit-f1').fill('Typed before Discord')
    await endSessions()
    await page.getByTestId('edit-submit').dispatchEvent('click')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'), dialog().getByTestId('sign-in-discord').click(),
    ])
    await page.getByText(/Edited and forwarded by Ada L\. on Discord/).first().waitFor()
    await until('the email', () => sent('Typed before Discord'))
    // The tab closes itself if the browser allows it, perhaps during the check.
    await tab.getByTestId('done').waitFor().catch((error) => { if (!tab.isClosed()) throw error })
    await tab.close()
  })

  it('downloads what was asked for once somebody has signed in', async () => {
    await page.goto(`${server.url}/sign-in?to=/status`)
    await fill(PASSWORD)
    await page.getByTestId('part-store').waitFor()
    await endSessions()
    await page.getByText('Audit trail').dispatchEvent('click')
    await dialog().getByTestId('password').waitFor()
    const download = page.waitForEvent('download')
    await fill(PASSWORD)
    expect((await download).suggestedFilename()).toBe('audit.csv')
    expect(pathOf()).toBe('/status')
  })

  it('shows that a file is fetched, until it comes', async () => {
    await page.goto(`${server.url}/sign-in?to=/status`)
    await fill(PASSWORD)
    const file = page.getByRole('link', { name: 'Audit trail' })
    await file.waitFor()
    const release = await holdRequests(page, '**/api/auth/session', route => route.continue())
    await file.click()
    const spinner = file.locator('.animate-spin')
    await spinner.waitFor()
    const download = page.waitForEvent('download')
    release()
    expect((await download).suggestedFilename()).toBe('audit.csv')
    await spinner.waitFor({ state: 'detached' })
  })

  it('asks for a new one over the sandbox, and says then what was said', async () => {
    const ada = visit(server)
    await ada.signIn(PASSWORD)
    await botUp(() => ada.post('/api/webhooks/sandbox', ''))
    await page.goto(`${server.url}/sign-in?to=/sandbox`)
    await fill(PASSWORD)
    const composer = page.locator('[data-testid^=say-]').first()
    await composer.fill('Said with an ended session')
    await endSessions()
    await page.locator('[data-testid=send-triage]').dispatchEvent('click')
    await dialog().getByTestId('password').waitFor()
    await fill(PASSWORD, 'Grace Hopper')
    await page.getByTestId('message').filter({
      hasText: 'Said with an ended session',
    }).getByText('Grace Hopper').first().waitFor()
    expect(pathOf()).toBe('/sandbox')
  })
})
