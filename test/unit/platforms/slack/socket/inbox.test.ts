import { memoryState } from '../../../../support/sqlite'
import type { StateAdapter } from 'chat'
import { beforeEach, describe, expect, test } from 'vitest'
import { Inbox, type SocketEnvelope } from '../../../../../server/platforms/slack/socket/inbox'
import { slackVerifier } from '../../../../../server/platforms/slack/workspaces'
import { only } from '../../../../fakes/only'

const isAccepted = slackVerifier(undefined)

let state: StateAdapter
/** Requests that were handled */
let handled: { type: string | null, body: string, accepted: boolean }[]
let respond: () => Response | Promise<Response>

const receive = async (request: Request) => {
  const [{ headers }, body] = [request, await request.text()]
  handled.push({
    type: headers.get('content-type'), body, accepted: isAccepted(request, body),
  })
  return respond()
}
const inbox = (store = state) => new Inbox(store, receive)

beforeEach(async () => {
  state = memoryState()
  await state.connect()
  handled = []
  respond = () => new Response('')
})

const click: SocketEnvelope = {
  envelope_id: 'e1', type: 'interactive', payload: { user: { id: 'U1' }, type: 'block_actions', trigger_id: '1.2.a' },
}
const event: SocketEnvelope = {
  envelope_id: 'e2', type: 'events_api', payload: { type: 'event_callback', event_id: 'Ev1', event: { text: 'a & ü' } },
}

describe('an envelope', () => {
  test('is handled as the webhook that Slack would have sent, which needs no signature', async () => {
    await inbox().answer(event)
    await inbox().answer(click)
    await inbox().answer({
      envelope_id: 'e3', type: 'slash_commands', payload: { command: '/forms', text: 'a & ü', trigger_id: '3' },
    })
    expect(handled.map(({ accepted }) => accepted)).toEqual([true, true, true])
    expect(JSON.parse(handled[0]!.body)).toEqual(event.payload)
    // Clicks are recognized by the start of the body.
    expect(handled[1]!.body).toMatch(/^payload=%7B%22type%22%3A%22block_actions%22/)
    expect(handled.map(({ type }) => type)).toEqual([
      'application/json', 'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded',
    ])
    expect(JSON.parse(new URLSearchParams(handled[1]!.body).get('payload')!)).toEqual(click.payload)
    const fields = Object.fromEntries(new URLSearchParams(handled[2]!.body))
    expect(fields).toMatchObject({ command: '/forms', text: 'a & ü' })
  })

  test('that comes again, in another envelope or to another replica, gets the same answer and is not handled', async () => {
    respond = () => Response.json({ response_action: 'errors' })
    const [first, second] = [inbox(), inbox()]
    const answers = [await first.answer(click), await first.answer({ ...click, envelope_id: 'e9' })]
    answers.push(await second.answer(click))
    expect(answers).toEqual(Array.from({ length: 3 }, () => '{"response_action":"errors"}'))
    expect(handled).toHaveLength(1)
  })

  test('that comes again while it is handled waits for the same answer', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    respond = () => promise
    const here = inbox()
    const answers = [here.answer(click), here.answer(click)]
    resolve(new Response(''))
    expect(await Promise.all(answers)).toEqual(['', ''])
    expect(handled).toHaveLength(1)
  })

  test('that could not be handled is handled when it comes again', async () => {
    respond = () => new Response('', { status: 503 })
    const here = inbox()
    await expect(here.answer(event)).rejects.toThrow('HTTP 503')
    respond = () => new Response('')
    expect(await here.answer(event)).toBe('')
    expect(handled).toHaveLength(2)
  })

  test('with a message waits for the store, a click does not', async () => {
    const away = only<StateAdapter>({
      get: () => Promise.reject(new Error('away')), set: () => Promise.reject(new Error('away')),
    })
    await expect(inbox(away).answer(event)).rejects.toThrow('away')
    expect(handled).toEqual([])
    expect(await inbox(away).answer(click)).toBe('')
    const hanging = only<StateAdapter>({ get: () => new Promise(() => {}), set: async () => {} })
    expect(await inbox(hanging).answer(click)).toBe('')
  })
})

test('a request that did not come through the socket is not accepted without a signing secret', () => {
  const request = new Request('https://slack.invalid/', { method: 'POST', headers: {
    'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)), 'x-slack-signature': 'v0=',
  } })
  expect([slackVerifier(undefined)(request, ''), slackVerifier('')(request, '')]).toEqual([false, false])
})
