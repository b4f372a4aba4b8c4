import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import {
  cardNow, click, deploy, introduce, openEdit, sendForm, submit, submitEdit, type Deployment,
} from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import { blockActions, interact } from '../support/slack'
import { startServer } from '../support/server'
import { took } from '../support/stopwatch'
import { until } from '../support/until'

let d: Deployment
beforeEach(async () => {
  d = endAfterTest(await deploy({ LEASE_MS: '5000' }))
  await introduce(d)
})

const posts = () => d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')

describe('a delivery that fails', () => {
  it('for good opens the card again with the reason; a new click does only what is left', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    d.resend.fault = ({ method }) => method === 'POST'
      ? { status: 403, body: '{"name":"invalid_api_key","message":"API key is invalid","statusCode":403}' }
      : undefined
    await click(d, card, 'forward', id)
    const open = await until('the card open again', async () => {
      const shown = await cardNow(d, card)
      return blockText(shown.blocks).includes('Email failed') && shown
    })
    expect(blockText(open.blocks)).toContain('MAIL_API_KEY')
    expect(open.blocks.filter(({ type }) => type === 'actions')).toHaveLength(2)
    expect(d.endpoint.requests).toHaveLength(1)

    d.resend.fault = () => undefined
    await click(d, open, 'forward', id)
    await closed(card)
    expect(await d.resend.emails()).toHaveLength(1)
    expect(d.endpoint.requests).toHaveLength(1)
  })
})

describe('without Redis', () => {
  it('an edit form stays open with what was typed, and works once Redis is back', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const view = await openEdit(d, card, id)
    d.redis.pause()
    const refused = await submitEdit(d, view, { f0: 'Grace' })
    expect(refused).toMatchObject({ response_action: 'errors', errors: { f0: expect.stringContaining('again') } })
    d.redis.resume()
    await until('the edit accepted', async () => Object.keys(await submitEdit(d, view, { f0: 'Grace' })).length === 0)
    await until('the email', async () => (await d.resend.emails()).length === 1)
  })
})

describe('SIGTERM', () => {
  it('finishes what runs, and exits with 0', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = () => ({ hold: gate.promise })
    await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
    await until('the email on its way', () => posts().length === 1)
    const stopped = d.server.stop()
    await until('nobody to be let in any more', () => fetch(`${d.server.url}/api/health`).then(() => false, () => true))
    gate.resolve(undefined)
    expect(await stopped).toBe(0)
    expect(await d.resend.emails()).toHaveLength(1)
    expect(blockText((await cardNow(d, card)).blocks)).toContain('Forwarded by')
  })

  it('leaves the cards that wait for their turn to whoever comes next: it is over soon, and each is posted once', async () => {
    await d.server.stop()
    const paced = await startServer({ ...d.env, CARD_INTERVAL_MS: '' })
    const names = Array.from({ length: 15 }, (_, index) => `Visitor ${index}.`)
    const answers = await Promise.all(names.map(name => sendForm(paced, { name })))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    // At one card a second, posting them all would take twice as long.
    const ms = await took(async () => expect(await paced.stop()).toBe(0))
    expect(ms).toBeLessThan(6000)
    d.server = await startServer(d.env)
    const cards = await until('all cards', async () => {
      const posted = (await d.slack.messages()).map(({ blocks }) => blockText(blocks))
      return posted.length >= names.length && posted
    })
    await d.server.drain()
    expect(names.map(name => cards.filter(text => text.includes(name)).length)).toEqual(names.map(() => 1))
  })

  it('waits for no form that arrives slowly: it is over before hosts kill', async () => {
    const socket = connect(Number(new URL(d.server.url).port), '127.0.0.1')
    const ended = once(socket, 'close')
    socket.on('error', () => {}).write([
      'POST /api/form HTTP/1.1', 'Host: forms', 'Content-Type: application/json', 'Content-Length: 1000',
      'Expect: 100-continue', '', '{"a":',
    ].join('\r\n'))
    // The server is reading the request.
    await once(socket, 'data')
    let code: number | null = null
    const ms = await took(async () => { code = await d.server.stop() })
    expect(code).toBe(0)
    expect(ms).toBeLessThan(14_000)
    await ended
  })
})

/** Resolves when the card shows no buttons any more. */
function closed(card: Parameters<typeof cardNow>[1]) {
  return until('the card closed', async () => !(await cardNow(d, card)).blocks.some(({ type }) => type === 'actions'))
}
