import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { fits, screenshot } from '../support/browser'
import { sendForm } from '../support/deployment'
import { endAfterTest, testFolder } from '../support/lifetime'
import { page, problems, usePages } from '../support/pages'
import { pictures } from '../support/pictures'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

let server: Server
beforeEach(async () => {
  server = endAfterTest(await startServer({ NODE_ENV: 'development', DATA_DIR: testFolder() }))
})
usePages()

const ROOMS = ['triage', 'sales']
const card = (text: string, room = 'triage'): Locator => (
  page.getByTestId(`room-${room}`).getByTestId('card').filter({ hasText: text })
)
/** Scrolls up through the messages loaded so far. */
async function scrollUp(room: string): Promise<void> {
  await page.getByRole('region', { name: `Messages in #${room}` }).hover()
  await page.mouse.wheel(0, -10_000)
}
const FORM = { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Please quote 2 analytical engines.' }

describe('the two rooms of the sandbox', () => {
  it('shows a decision in every room at once, and brings the card that follows into view', async () => {
    for (let number = 1; number <= 9; number++) await sendForm(server, { name: `Person ${number}` })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${server.url}/sandbox`)
    for (const room of ROOMS) await card('Person 9', room).waitFor()
    await screenshot(page, 'sandbox-rooms')
    expect(await card('Person 1').count()).toBe(0)
    await until('the oldest card', async () => {
      await scrollUp('triage')
      return card('Person 1').isVisible()
    })
    await card('Person 1').getByTestId('action-forward').click()
    for (const room of ROOMS) await card('Forwarded by Ada Lovelace', room).waitFor()
    await until('the other room to show it', () => card('Forwarded by', 'sales').boundingBox().then(
      box => box !== null && box.y >= 0,
    ))
    await pictures(page, 'sandbox-decided')
    // In the other direction; an answer to a message goes to the room of that message.
    await card('Person 9', 'sales').getByTestId('action-spam').click()
    for (const room of ROOMS) await card('Marked as spam by Ada Lovelace', room).waitFor()
    await page.getByTestId('say-sales').fill('@form-bot status')
    await page.getByTestId('say-sales').press('Enter')
    const said = page.getByTestId('room-sales').getByTestId('message').filter({ hasText: '@form-bot status' })
    await said.getByTestId('open-thread').filter({ hasText: '1 reply' }).click()
    await page.getByTestId('thread').getByText('Connected: Sandbox').waitFor()
    expect(await page.getByTestId('room-triage').getByTestId('message').count()).toBe(0)
    await pictures(page, 'sandbox-thread-open')
  })

  it('marks on a phone what changed in the other room, until somebody looks', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await sendForm(server, FORM)
    await page.goto(`${server.url}/sandbox`)
    await card('Ada Lovelace').getByTestId('action-forward').click()
    await card('Forwarded by Ada Lovelace').waitFor()
    // Wait for the final edit: a slow email edits the cards once more, and a room left before would be marked again.
    for (const room of ROOMS) await card('Form Submission forwarded', room).waitFor({ state: 'attached' })
    for (const name of ['#sales 1', 'Outbox 1']) await page.getByRole('tab', { name, exact: true }).waitFor()
    expect(await card('Ada Lovelace', 'sales').isVisible()).toBe(false)
    await screenshot(page, 'sandbox-marked')
    await page.getByRole('tab', { name: '#sales' }).click()
    await card('Forwarded by Ada Lovelace', 'sales').waitFor()
    await page.getByRole('tab', { name: '#sales', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Outbox' }).click()
    await page.getByTestId('email-item').waitFor()
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['#triage', '#sales', 'Outbox'])
    // List and email replace each other, and keep the focus.
    await page.getByTestId('email-item').press('Enter')
    await page.locator('button:focus').filter({ hasText: 'All emails' }).press('Enter')
    await page.locator('[data-testid=email-item]:focus').press('Enter')
    await page.setViewportSize({ width: 320, height: 640 })
    await fits(page)
    await pictures(page, 'sandbox-email')
  })

  it('says how many of 60 forms were received, and why not all', async () => {
    await page.goto(`${server.url}/sandbox`)
    await page.getByTestId('send-form').click()
    await page.getByTestId('send-many').waitFor()
    // Start the minute with this form, and not before the page is loaded.
    await sendForm(server, FORM)
    await page.getByTestId('send-many').click()
    await page.getByText(/^59 of 60 were received\. More than 60 forms a minute came from your address\./).waitFor()
    expect(problems.splice(0).every(problem => problem.includes('429'))).toBe(true)
  })

  it('sends 60 forms at once', async () => {
    await page.goto(`${server.url}/sandbox`)
    await page.getByText('Nothing sent yet').waitFor({ state: 'attached' })
    await pictures(page, 'sandbox-empty')
    await page.getByTestId('send-form').click()
    await page.getByTestId('send-many').click()
    await page.getByText('60 forms received', { exact: true }).waitFor()
    for (const room of ROOMS) {
      await until(`a card for each in ${room}`, async () => {
        await scrollUp(room)
        return await card('', room).count() === 60
      })
    }
  })
})
