import { memoryState } from '../../../../support/sqlite'
import { beforeEach, expect, test } from 'vitest'
import {
  firstDelivery, forgetDelivery, forwardTo, UNCHECKED, type ForwardedEvent,
} from '../../../../../server/platforms/discord/gateway/events'
import { endAfterTest } from '../../../../support/lifetime'
import { startProxy, type Fault, type Proxy } from '../../../../support/proxy'

/** Request timeout, ms: long, so that slow answers of a busy machine do not count as missing. */
const LONG_MS = 20_000

let site: Proxy

beforeEach(async () => { site = endAfterTest(await startProxy()) })

const event = (id: string, type: ForwardedEvent['type'], data: object): ForwardedEvent => (
  { id, type, timestamp: 1, data }
)
const message = (id: string, messageId: string) => event(id, 'GATEWAY_MESSAGE_CREATE', { id: messageId })
const reaction = (id: string) => event(
  id, 'GATEWAY_MESSAGE_REACTION_ADD', { message_id: '1', user_id: '2', emoji: { name: '👍' } },
)

test('an event is posted as JSON with the token that the adapter expects', async () => {
  await forwardTo(`${site.url}/api/webhooks/discord`, 'secret', LONG_MS)(message('s:1', '10'))
  expect(site.requests).toMatchObject([{ method: 'POST', path: '/api/webhooks/discord', headers: {
    'x-discord-gateway-token': 'secret', 'content-type': 'application/json',
  } }])
  expect(JSON.parse(site.requests[0]!.body)).toEqual(message('s:1', '10'))
})

test.each<[string, Fault, object]>([
  ['503', { status: 503, headers: { 'retry-after': '2' } }, {
    permanent: false, retryAfterMs: 2000, message: 'HTTP 503', unchecked: false,
  }],
  ['503 of an adapter without a store', { status: 503, headers: { [UNCHECKED]: '1' } }, { unchecked: true }],
  ['422', { status: 422 }, { permanent: true }],
  ['413', { status: 413 }, { permanent: true }],
  ['401', { status: 401 }, { permanent: false }],
  ['404', { status: 404 }, { permanent: false }],
  ['a dropped connection', 'drop', { permanent: false, message: 'no connection' }],
  ['silence', { hold: new Promise(() => {}) }, { permanent: false, message: 'no answer in 0.2 s' }],
])('%s is told apart', async (kind, fault, expected) => {
  site.fault = () => fault
  const forward = forwardTo(site.url, 'secret', kind === 'silence' ? 200 : LONG_MS)
  await expect(forward(message('s:1', '10'))).rejects.toMatchObject(expected)
})

test('a forward that is not answered ends when it is left to the replay', async () => {
  const stop = new AbortController()
  site.fault = () => {
    stop.abort()
    return { hold: new Promise(() => {}) }
  }
  const forwarding = forwardTo(site.url, 'secret', LONG_MS)(message('s:1', '10'), stop.signal)
  await expect(forwarding).rejects.toThrow('no connection')
})

test('the token does not follow a redirect', async () => {
  const otherSite = endAfterTest(await startProxy())
  site.fault = () => ({ status: 307, headers: { location: otherSite.url } })
  await expect(forwardTo(site.url, 'secret', LONG_MS)(message('s:1', '10'))).rejects.toThrow('SITE_URL')
  expect(otherSite.requests).toEqual([])
})

test('a repetition is known by what Discord makes unique, and forgotten on demand', async () => {
  const state = memoryState()
  await state.connect()
  const click = (id: string) => event(id, 'GATEWAY_INTERACTION_CREATE', { id: '30' })
  const deliveries: [ForwardedEvent, boolean][] = [
    [message('s1:5', '10'), true], [message('s1:5', '10'), false], [message('message:10', '10'), false],
    [message('s1:6', '11'), true], [reaction('s1:7'), true], [reaction('s1:7'), false],
    // The reaction was removed in between and added again: a new event.
    [reaction('s1:9'), true], [click('s1:10'), true], [click('s2:2'), false],
  ]
  for (const [each, isFirst] of deliveries) expect(await firstDelivery(state, each)).toBe(isFirst)
  await forgetDelivery(state, message('s1:6', '11'))
  expect(await firstDelivery(state, message('s1:6', '11'))).toBe(true)
})

test('an event whose first check got no answer is handled at the next try, and once', async () => {
  const state = memoryState()
  await state.connect()
  const storeNote = state.setIfNotExists.bind(state)
  // The store saves the entry, but its answer is lost.
  state.setIfNotExists = async (...args) => {
    state.setIfNotExists = storeNote
    await storeNote(...args)
    throw new Error('Redis did not answer within 1500 ms')
  }
  const messageWith = (note: string) => ({ ...message('s1:5', '10'), note })
  await expect(firstDelivery(state, messageWith('first'))).rejects.toThrow('did not answer')
  expect(await firstDelivery(state, messageWith('of somebody else'))).toBe(false)
  expect(await firstDelivery(state, messageWith('first'))).toBe(true)
  expect(await firstDelivery(state, messageWith('second'))).toBe(false)
})
