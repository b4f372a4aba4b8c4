import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import type { Outcome } from '../../../../../server/ports/delivery'
import { SocketConnection } from '../../../../../server/platforms/slack/socket/connection'
import type { SocketEnvelope } from '../../../../../server/platforms/slack/socket/inbox'
import { endAfterTest } from '../../../../support/lifetime'
import { APP_TOKEN, startSockets, type SlackSockets } from '../../../../support/slack-socket'
import { until } from '../../../../support/until'

let slack: SlackSockets
let connection: SocketConnection
/** Reports of the connection */
let said: string[]
let answer: (envelope: SocketEnvelope) => Promise<string>
let address: () => Promise<Outcome<string>>

const ask = async (): Promise<Outcome<string>> => {
  const headers = { authorization: `Bearer ${APP_TOKEN}` }
  const response = slack.open({ method: 'POST', path: '/api/apps.connections.open', headers, body: '', at: 0 })!
  return { ok: true, value: (await response.json() as { url: string }).url }
}
const hooks = {
  address: () => address(), answer: (envelope: SocketEnvelope) => answer(envelope),
  connected: () => void said.push('connected'), detached: (why: string) => void said.push(why),
  refused: (_: string): void => {},
}

beforeEach(async () => {
  slack = await startSockets()
  connection = new SocketConnection(hooks)
  said = []
  hooks.refused = why => void said.push(`refused: ${why}`)
  answer = async () => ''
  address = ask
})

afterEach(async () => {
  vi.useRealTimers()
  await connection.close()
  await slack.close()
})

const connected = async () => {
  await connection.connect()
  expect(slack.live()).toBe(1)
}

describe('an envelope', () => {
  test('is acknowledged with its answer, and with none where Slack takes none', async () => {
    answer = async ({ payload }) => payload.type === 'view_submission' ? '{"response_action":"clear"}' : ''
    await connected()
    expect(await slack.deliver('interactive', { type: 'view_submission' })).toEqual({ response_action: 'clear' })
    expect(await slack.deliver('interactive', { type: 'block_actions' })).toBeUndefined()
    answer = async () => '{"not":"sent"}'
    expect(await slack.deliver('events_api', { type: 'event_callback' })).toBeUndefined()
  })

  test('that could not be handled is not acknowledged, and comes again', async () => {
    slack.patienceMs = 50
    const attempts: string[] = []
    answer = async ({ envelope_id }) => {
      if (attempts.push(envelope_id) === 1) throw new Error('The store is away.')
      return ''
    }
    await connected()
    await slack.deliver('events_api', { type: 'event_callback' })
    expect(new Set(attempts).size).toBe(2)
  })

  test('in progress is answered before a socket is closed, and none is taken afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    let taken = 0
    answer = () => {
      taken++
      return promise
    }
    await connected()
    const first = slack.deliver('interactive', { n: 1 })
    await until('the envelope', () => taken === 1)
    const closing = connection.close()
    void slack.deliver('interactive', { n: 2 })
    resolve('{"late":true}')
    expect(await first).toEqual({ late: true })
    await closing
    expect([taken, slack.live()]).toEqual([1, 0])
  })
})

describe('the socket', () => {
  test('is replaced when Slack announces its end: the next one opens before it closes', async () => {
    await connected()
    slack.refresh(10_000)
    await until('the next socket', () => slack.opened === 2 && slack.live() === 1)
    expect([slack.overlaps, said]).toEqual([[1, 2], ['connected', 'connected']])
  })

  test('that is cut is opened again at once', async () => {
    await connected()
    slack.cut()
    await until('the next socket', () => slack.opened === 2)
    expect(said).toEqual(['connected', 'close code 1006', 'connected'])
  })

  test('goes on if Slack refuses the next one for now, and waits as long as Slack asks', async () => {
    await connected()
    const askedAt: number[] = []
    address = async () => askedAt.push(performance.now()) > 1
      ? ask()
      : { ok: false, permanent: false, reason: 'Slack answered ratelimited.', retryAfterMs: 700 }
    slack.refresh(10_000)
    await until('the next socket', () => slack.opened === 2)
    expect(askedAt[1]! - askedAt[0]!).toBeGreaterThanOrEqual(690)
    expect(said).toEqual(['connected', 'connected'])
  })

  test('is not opened once Slack refuses the token, or while Socket Mode is off', async () => {
    address = async () => ({ ok: false, permanent: true, reason: 'Check CHAT_APP_TOKEN.' })
    hooks.refused = (why) => {
      said.push(why)
      void connection.close()
    }
    await connection.connect()
    expect(said).toEqual(['Check CHAT_APP_TOKEN.'])
    address = ask
    slack.enabled = false
    connection = new SocketConnection(hooks)
    await connection.connect()
    expect(said.slice(1)).toEqual([expect.stringContaining('Switch Socket Mode on')])
  })

  test('that fails is tried ever more slowly, and no more once it is closed', async () => {
    const askedAt: number[] = []
    address = async () => {
      askedAt.push(performance.now())
      return { ok: true, value: 'ws://127.0.0.1:9/' }
    }
    void connection.connect()
    await until('four failed attempts', () => said.length >= 4)
    const pausesMs = askedAt.slice(1).map((at, index) => at - askedAt[index]!)
    for (const [index, leastMs] of [100, 200, 400].entries()) expect(pausesMs[index]).toBeGreaterThan(leastMs - 5)
    await connection.close()
    expect(said).toHaveLength(askedAt.length)
  })

  test('that Slack cuts before its hello, or on which it says nonsense, is replaced', async () => {
    const http = createServer()
    const server = new WebSocketServer({ server: http })
    endAfterTest({ close: async () => void http.close() })
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
    server.on('connection', (socket) => {
      for (const text of ['', '[', 'null', '{"type":5}', '{"type":"disconnect"}', '{"type":"other"}']) socket.send(text)
      socket.close()
    })
    const addresses = [`ws://127.0.0.1:${(http.address() as AddressInfo).port}/`]
    address = async () => addresses.length > 0 ? { ok: true, value: addresses.pop()! } : ask()
    await connected()
    expect(said).toEqual([expect.stringContaining('close code'), 'connected'])
  })

  test('without a sign of life for 30 s is dead', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const connecting = connection.connect()
    await vi.waitFor(() => expect(slack.live()).toBe(1))
    await connecting
    vi.advanceTimersByTime(29_000)
    expect(said).toEqual(['connected'])
    vi.advanceTimersByTime(1001)
    vi.useRealTimers()
    await until('the next socket', () => slack.opened === 2)
    expect(said).toContain('close code 1006')
  })
})
