import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SandboxState } from '../../shared/types/sandbox'
import { fits, holdRequests, screenshot } from '../support/browser'
import { sendForm, submitForm } from '../support/deployment'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { page, problems, usePages } from '../support/pages'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const server = endAfterAll(await startServer({
  NODE_ENV: 'development', DATA_DIR: sharedFolder(), ESCALATION_MENTION: '@support',
}))
usePages()
beforeEach(async () => void await page.goto(`${server.url}/sandbox`))

const thread = (): Locator => page.getByTestId('thread')
const inThread = (text: string | RegExp): Locator => thread().locator('article').filter({ hasText: text })

/** Types with the keyboard, as users do; Enter sends. */
async function say(where: 'triage' | 'thread', text: string): Promise<void> {
  await page.getByTestId(`say-${where}`).fill(text)
  await page.getByTestId(`say-${where}`).press('Enter')
}

/** Mentions the bot in the channel and opens the thread in which it answers. */
async function talk(text: string): Promise<void> {
  await say('triage', `@form-bot ${text}`)
  const message = page.getByRole(
    'region', { name: 'Messages in #triage' },
  ).getByTestId('message').filter({ hasText: `@form-bot ${text}` }).last()
  await message.getByTestId('open-thread').filter({ hasText: '1 reply' }).click()
  await thread().waitFor()
}

describe('the conversation in the sandbox', () => {
  it('welcomes who mentions the bot, follows the thread, and its buttons answer', async () => {
    await page.getByTestId('mention-triage').click()
    expect(await page.getByTestId('say-triage').inputValue()).toBe('@form-bot ')
    await talk('good morning')
    await inThread('Hello Ada Lovelace').waitFor()
    for (const [action, answer] of [['hello', 'Hello, Ada Lovelace!'], ['info', 'You are talking to me on Sandbox.'], [
      'escalate', 'Ada Lovelace requested human support.',
    ]] as const) {
      await thread().getByTestId(`action-${action}`).click()
      await inThread(answer).waitFor()
    }
    await inThread('@support').waitFor()
    await say('thread', 'status')
    await inThread('Connected: Sandbox').waitFor()
    expect(server.output()).not.toContain('"level":"warn"')
    await say('thread', 'make me a coffee')
    await inThread('Type help').waitFor()
    await screenshot(page, 'sandbox-thread')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.evaluate('document.documentElement.classList.add("dark")')
    await screenshot(page, 'sandbox-thread-dark')
  })

  it('a message without a mention gets no answer, in the channel or below it', async () => {
    await say('triage', 'just talking')
    const message = page.getByTestId('message').filter({ hasText: 'just talking' })
    await message.getByTestId('open-thread').click()
    await say('thread', 'help')
    await inThread('help').waitFor()
    await talk('status')
    expect(
      await page.getByTestId('message').filter({ hasText: 'just talking' }).getByTestId('open-thread').textContent(),
    ).toContain('1 reply')
  })

  it('lists what waits, and shows one with buttons that decide it; the first card follows', async () => {
    const id = await submitForm(server, { name: 'Grace Hopper', message: '<b>Compilers</b> @everyone' })
    await sendForm(server, { name: 'Alan Turing', message: 'Machines' })
    await talk('pending')
    await inThread('2 submissions wait').waitFor()
    await inThread('<b>Compilers</b> @everyone').waitFor()
    expect(
      await thread().getByRole('link', { name: `Open ${id.slice(0, 8)}` }).getAttribute('href'),
    ).toMatch(new RegExp(`/submissions/${id}$`))
    await screenshot(page, 'sandbox-pending')
    await say('thread', 'show hopper')
    await inThread('New Form Submission').getByTestId('action-spam').click()
    const decided = page.getByTestId('card').filter({ hasText: 'Marked as spam by Ada Lovelace' })
    await until('the card of each room and this one decided', async () => await decided.count() === 3)
    // The cards show the decision a moment before all work is done.
    await server.drain()
    await say('thread', `show ${id}`)
    await inThread('Nothing that waits matches').waitFor()
  })

  it('sends what was said while a message was on its way, in order, and leaves what is being typed', async () => {
    const arrived = await holdRequests(page, '**/api/webhooks/sandbox', route => route.continue())
    for (const text of ['the first', 'the second', 'the third']) await say('triage', text)
    await page.getByTestId('say-triage').fill('the fourth')
    arrived()
    await page.getByTestId('message').filter({ hasText: 'the third' }).waitFor()
    const said = (await page.getByTestId('message').allTextContents()).join()
    expect(said).toMatch(/the first.*the second.*the third/)
    expect(await page.getByTestId('say-triage').inputValue()).toBe('the fourth')
  })

  it('keeps what was typed when it cannot be sent, and takes Shift+Enter as a new line', async () => {
    const failed = await holdRequests(
      page, '**/api/webhooks/sandbox', route => route.fulfill({ status: 503, json: { error: 'Not now.' } }),
    )
    await page.getByTestId('say-triage').fill('one')
    await page.getByTestId('say-triage').press('Shift+Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await say('triage', 'three')
    await page.getByTestId('say-triage').fill('four')
    failed()
    await page.getByText('Not now.', { exact: true }).first().waitFor()
    expect(await page.getByTestId('say-triage').inputValue()).toBe('one\ntwo\nthree\nfour')
    expect(problems.splice(0)).toEqual([expect.stringContaining('503')])
  })

  it('opens and closes a thread by keyboard, and gives the focus back', async () => {
    await say('triage', 'by keyboard')
    const opener = page.getByTestId('message').filter({ hasText: 'by keyboard' }).getByTestId('open-thread')
    await opener.press('Enter')
    await page.locator('[data-testid="say-thread"]:focus').waitFor()
    await page.keyboard.press('Escape')
    await thread().waitFor({ state: 'detached' })
    const message = page.getByTestId('message').filter({ hasText: 'by keyboard' })
    await message.locator('[data-testid="open-thread"]:focus').waitFor()
  })

  it('works on a phone: the thread takes the whole width and leads back', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await talk('hello from a phone')
    await inThread('Hello Ada Lovelace').waitFor()
    await fits(page)
    await screenshot(page, 'sandbox-thread-phone')
    await page.getByRole('button', { name: 'Back to the room' }).click()
    const last = page.getByTestId('message').filter({ hasText: 'hello from a phone' }).getByTestId('open-thread')
    await until('the newest message in view', async () => ((await last.boundingBox())?.y ?? Infinity) < 760)
    await screenshot(page, 'sandbox-room-phone')
  })
})

it('who clicks a card that is decided already reads in a dialog by whom; a click of an unknown id opens none', async () => {
  const id = await submitForm(server, { name: 'Lena Late' })
  const { messages } = await (await fetch(`${server.url}/api/sandbox/state`)).json() as SandboxState
  const { id: messageId, threadId } = messages.find(({ card }) => JSON.stringify(card).includes(id))!
  const press = async (actionId: string, value = id) => {
    const user = { id: 'grace', name: 'Grace Hopper' }
    const answer = await postJson(
      `${server.url}/api/webhooks/sandbox`, { type: 'action', messageId, threadId, actionId, value, user },
    )
    return answer.json()
  }
  expect([await press('spam', crypto.randomUUID()), await press('spam')]).toEqual([{}, {}])
  for (const action of ['forward', 'edit']) {
    expect(JSON.stringify(await press(action))).toContain('Marked as spam by Grace Hopper on Sandbox')
  }
})
