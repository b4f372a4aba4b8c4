import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import {
  cardEdits, cardNow, cardOf, click, deploy, introduce, openEdit, sendForm, submit, submitEdit, type Deployment,
} from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import { blockActions, interact } from '../support/slack'
import { startServer } from '../support/server'
import { timed, took } from '../support/stopwatch'
import { until } from '../support/until'

let d: Deployment
beforeEach(async () => {
  d = endAfterTest(await deploy({ LEASE_MS: '5000' }))
  await introduce(d)
})

const posts = () => d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')

describe('kill -9', () => {
  it('between the claim and the email, then a restart: the email is sent, once', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = () => ({ hold: gate.promise.then(() => { throw new Error('the sender is gone') }) })
    d.endpoint.fault = () => ({ hold: gate.promise })
    await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
    await until('the email on its way', () => posts().length === 1)
    await d.server.kill()
    expect(await d.resend.emails()).toEqual([])

    d.resend.fault = () => undefined
    d.endpoint.fault = () => undefined
    gate.resolve(undefined)
    d.server = await startServer(d.env)
    await until('the email', async () => (await d.resend.emails()).length > 0)
    await closed(card)
    expect(await d.resend.emails()).toHaveLength(1)
    expect(blockText((await cardNow(d, card)).blocks)).toContain('Forwarded by Ada Lovelace')
    expect(new Set(d.endpoint.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('after Resend took the email but before that was written down: still one email', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    d.resend.fault = () => 'lose-answer'
    await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
    await until('the email', async () => (await d.resend.emails()).length === 1)
    await d.server.kill()
    d.resend.fault = () => undefined
    d.server = await startServer(d.env)
    await until('the second attempt', () => posts().length > 1 && posts().at(-1)!.status)
    await d.server.drain()
    expect(await d.resend.emails()).toHaveLength(1)
    expect(new Set(posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  it('before a card was posted, then a restart: the card is posted', async () => {
    d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? 'drop' : undefined
    const response = await sendForm(d.server, { name: 'Ada' })
    const { submissionId } = await response.json() as { submissionId: string }
    await d.server.kill()
    d.server = await startServer(d.env)
    // Lift the fault only now: the last request of the killed process may still be on its way to Slack.
    d.slack.fault = () => undefined
    await cardOf(d, submissionId)
    await d.server.drain()
    expect(await d.slack.messages()).toHaveLength(1)
  })
})

describe('a delivery that fails', () => {
  it('for a while is tried again; what succeeded is not repeated', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    let failures = 3
    d.resend.fault = ({ method }) => method === 'POST' && failures-- > 0
      ? { status: 500, body: '{"name":"application_error","message":"down","statusCode":500}' }
      : undefined
    await click(d, card, 'forward', id)
    await until('the email', async () => (await d.resend.emails()).length === 1)
    await d.server.drain()
    expect(posts()).toHaveLength(4)
    expect(d.endpoint.requests).toHaveLength(1)
    // The card shows each attempt at most once, and the end once.
    const said = cardEdits(d).final.map(({ blocks }) => blockText(blocks as never))
    expect(said.length).toBeLessThanOrEqual(4)
    expect(said.map(text => text.includes('Email failed: Resend answered 500.'))).toEqual(
      said.map((_, index) => index < said.length - 1),
    )
    expect(said.at(-1)).toContain('Sent to triage@example.com and ')
  })

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

  it('with Retry-After waits that long', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    d.endpoint.fault = () => d.endpoint.requests.length === 1
      ? { status: 429, headers: { 'retry-after': '1' } }
      : undefined
    await click(d, card, 'forward', id)
    await until('the second attempt', () => d.endpoint.requests.length === 2)
    const [first, second] = d.endpoint.requests
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
    expect(d.endpoint.requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      first!.headers['webhook-id'], first!.headers['webhook-id'],
    ])
  })

  it('on Slack with 429 moves the card by Retry-After and blocks no request', async () => {
    const attempts = () => d.slack.requests.filter(({ path }) => path === '/api/chat.postMessage')
    // A shorter delay than a form waits for its card
    d.slack.fault = ({ path }) => path === '/api/chat.postMessage' && attempts().length === 1
      ? { status: 429, body: '{"ok":false,"error":"ratelimited"}', headers: { 'retry-after': '2' } }
      : undefined
    const response = await sendForm(d.server, { name: 'Ada' })
    expect(response.status).toBe(200)
    expect(attempts()).toHaveLength(1)
    await until('the card', async () => (await d.slack.messages()).length === 1)
    const [first, second] = attempts()
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(2000)
  })
})

describe('without Redis', () => {
  it.each(['stopped', 'frozen'])('(%s) a form is 503 with Retry-After and CORS in under 2 s, nothing is posted, and it recovers by itself', async (how) => {
    await submit(d, { name: 'before' })
    const cards = d.slack.calls('chat.postMessage').length
    if (how === 'frozen') d.redis.pause()
    else await d.redis.stop()
    const { result: response, ms } = await timed(d.server, () => sendForm(d.server, { name: 'lost?' }))
    expect(ms).toBeLessThan(2000)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('may not have been saved') })
    expect(d.slack.calls('chat.postMessage')).toHaveLength(cards)

    if (how === 'frozen') d.redis.resume()
    else d.redis = await (await import('../support/redis-server')).startRedis(d.redis.port)
    await until('a form accepted again', async () => (await sendForm(d.server, { name: 'after' })).status === 200)
  })

  it.each(['stopped', 'frozen'])('(%s) a form under a rate limit is the store\'s 503 too, in under 2 s', async (how) => {
    const limited = endAfterTest(await startServer({ ...d.env, FORM_RATE_LIMIT: '10' }))
    expect((await sendForm(limited, { name: 'before' })).status).toBe(200)
    if (how === 'frozen') d.redis.pause()
    else await d.redis.stop()
    const { result: response, ms } = await timed(limited, () => sendForm(limited, { name: 'lost?' }))
    expect(ms).toBeLessThan(2000)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toMatchObject({ code: 'STORE_UNAVAILABLE' })

    if (how === 'frozen') {
      d.redis.resume()
      await until('a form accepted again', async () => (await sendForm(limited, { name: 'after' })).status === 200)
    }
  })

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
