import { describe, expect, it } from 'vitest'
import { click, deploy, openEdit, sendForm, submit } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startServer } from '../support/server'
import { interact, sendEvent, viewSubmission } from '../support/slack'
import { timed } from '../support/stopwatch'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

// Keep the real lease. With a shorter one, other processes would take over work that hangs on purpose.
const d = endAfterAll(await deploy())

/** Sends a new process its first webhook and its first form, and waits for the answers. */
async function firstAnswers(url: string): Promise<void> {
  expect((await sendEvent(url, { type: 'url_verification', challenge: 'c' })).status).toBe(200)
  const form = await postJson(`${url}/api/form`, '{"name":"patient"}')
  expect(await form.json()).toMatchObject({ status: 'received' })
}

describe('with Slack unreachable', () => {
  it('from the start, forms and webhooks still answer, and the card comes once Slack is back', async () => {
    const other = endAfterTest(await deploy())
    await other.server.kill()
    other.slack.fault = () => 'drop'
    // Measure the loading time of a new process first, to subtract it.
    const [cold, dropped] = [await startServer(d.env), await startServer(other.env)]
    other.server = dropped
    const { ms: usual } = await timed(cold, () => firstAnswers(cold.url))
    const { ms } = await timed(dropped, () => firstAnswers(dropped.url))
    await cold.kill()
    expect(ms - usual).toBeLessThan(3000)
    expect(await other.slack.messages()).toEqual([])
    other.slack.fault = () => undefined
    const [card] = await until('the card', async () => {
      const messages = await other.slack.messages()
      return messages.length > 0 && messages
    })
    await click(other, card!, 'forward', card!.blocks.find(({ type }) => type === 'actions')!.elements[0].value)
    expect(await other.resend.emails()).toHaveLength(1)
  })

  it('hanging, a form is answered within 3 s and its card is posted once', async () => {
    const gate = Promise.withResolvers<undefined>()
    d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? { hold: gate.promise } : undefined
    const posted = (await d.slack.messages()).length
    const { result: response, ms } = await timed(d.server, () => sendForm(d.server, { name: 'hanging' }))
    expect(await response.json()).toMatchObject({ status: 'received' })
    expect(ms).toBeLessThan(3000)
    expect(await d.slack.messages()).toHaveLength(posted)
    d.slack.fault = () => undefined
    gate.resolve(undefined)
    await d.server.drain()
    expect(await d.slack.messages()).toHaveLength(posted + 1)
  })

  it('hanging while a form is edited, the submit is acknowledged within 3 s and takes effect', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const view = await openEdit(d, card, id)
    const gate = Promise.withResolvers<undefined>()
    d.slack.fault = () => ({ hold: gate.promise })
    const before = d.resend.requests.length
    const { result: response, ms } = await timed(d.server, () => interact(
      d.server.url, viewSubmission(view, { f0: 'Grace' }, { ...d.slack.reviewer, id: 'U0NEWUSER' }),
    ))
    expect(response.status).toBe(200)
    expect(ms).toBeLessThan(3000)
    await until('the email', () => d.resend.requests.length > before)
    d.slack.fault = () => undefined
    gate.resolve(undefined)
    await d.server.drain()
  })
})
