import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Recorded } from './proxy'

export const APP_TOKEN = 'xapp-1-A000000001-1000000000001-0123456789abcdef'

// Payloads and answers as JSON; the service's adapter and the tests check their shape.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = Record<string, any>

/** Slack ends sockets above this number: https://docs.slack.dev/apis/events-api/using-socket-mode#connections */
const MAX_SOCKETS = 10
const PING_INTERVAL_MS = 5000

interface Delivery {
  envelope: Json
  socket: WebSocket
  acknowledged: (payload: Json | undefined) => void
}

export interface SlackSockets {
  /** Answers `apps.connections.open`; undefined for any other request. */
  open: (request: Recorded) => Response | undefined
  /** Number of sockets that got a hello and are open */
  live: () => number
  /** Number of sockets that ever got a hello */
  opened: number
  /** Numbers of sockets that were open just after each hello */
  overlaps: number[]
  /** Time from the first delivery of each envelope to its acknowledgement, ms */
  latencies: number[]
  /** Number of envelopes that were sent again */
  repeated: number
  /** Time without an acknowledgement after which an envelope is sent again, ms; Slack waits 3 s */
  patienceMs: number
  /** False while Socket Mode is switched off */
  enabled: boolean
  /** Number of acknowledgements that get lost from now on, each with its socket */
  losing: number
  /** Delivers an envelope on one of the sockets until it is acknowledged; resolves with the payload of the answer. */
  deliver: (type: 'events_api' | 'interactive' | 'slash_commands', payload: Json) => Promise<Json | undefined>
  /** Resets all TCP connections. */
  cut: () => void
  /** Announces the end of all sockets, which follows after `ms`. */
  refresh: (ms: number, reason?: 'warning' | 'refresh_requested') => void
  close: () => Promise<void>
}

/**
 * Slack's side of Socket Mode: addresses that are valid once, at most 10 sockets among which envelopes are distributed,
 * and envelopes that are sent again until they are acknowledged. https://docs.slack.dev/apis/events-api/using-socket-mode
 */
export async function startSockets(): Promise<SlackSockets> {
  const http = createServer((_, response) => response.writeHead(404).end())
  const tickets = new Set<string>()
  const server = new WebSocketServer({ server: http, verifyClient: ({ req }, done) => {
    const ticket = new URL(req.url!, 'ws://slack').searchParams.get('ticket') ?? ''
    done(tickets.delete(ticket), 401)
  } })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  const ready: WebSocket[] = []
  /** Envelopes that wait for a socket */
  const waiting: (() => void)[] = []
  const pending = new Map<string, Delivery>()
  const mistakes: string[] = []
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false

  const sockets: SlackSockets = {
    opened: 0, overlaps: [], latencies: [], repeated: 0, patienceMs: 3000, enabled: true, losing: 0,
    live: () => ready.length,
    open: ({ method, path, headers, body }) => {
      if (path !== '/api/apps.connections.open') return undefined
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
      const error = method !== 'POST'
        ? 'insecure_request'
        : /token=/.test(body) || !token
          ? 'not_authed'
          : /^xox/.test(token) ? 'not_allowed_token_type' : token === APP_TOKEN ? undefined : 'invalid_auth'
      if (error) return Response.json({ ok: false, error })
      const ticket = randomUUID()
      tickets.add(ticket)
      const { port } = http.address() as AddressInfo
      return Response.json({ ok: true, url: `ws://127.0.0.1:${port}/link/?ticket=${ticket}&app_id=A000000001` })
    },
    async deliver(type, payload) {
      const startedAt = performance.now()
      const answer = await new Promise<Json | undefined>((resolve, reject) => {
        void send({
          envelope_id: randomUUID(), type, payload, accepts_response_payload: type !== 'events_api',
          ...type === 'events_api' ? { retry_attempt: 0, retry_reason: '' } : {},
        }, resolve).catch(reject)
      })
      sockets.latencies.push(performance.now() - startedAt)
      return answer
    },
    cut: () => {
      for (const socket of server.clients) socket.terminate()
    },
    refresh: (ms, reason = 'warning') => {
      for (const socket of [...ready]) {
        socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }))
        const timer = setTimeout(() => socket.close(), ms)
        timers.add(timer)
      }
    },
    close: async () => {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      sockets.cut()
      server.close()
      http.closeAllConnections()
      await new Promise(resolve => http.close(resolve))
      if (mistakes.length > 0) throw new Error(`Slack would not understand this: ${mistakes.join(' ')}`)
    },
  }

  /** Sends an envelope on the socket that waited longest. Sends it again, elsewhere, until it is acknowledged. */
  async function send(envelope: Json, acknowledged: Delivery['acknowledged']): Promise<void> {
    while (ready.length === 0) await new Promise<void>(resolve => waiting.push(resolve))
    if (isClosed) return
    const socket = ready.shift()!
    ready.push(socket)
    pending.set(envelope.envelope_id as string, { envelope, socket, acknowledged })
    socket.send(JSON.stringify(envelope))
    const timer = setTimeout(() => repeat(envelope.envelope_id as string), sockets.patienceMs)
    timers.add(timer)
  }

  function repeat(id: string): void {
    const delivery = pending.get(id)
    if (!delivery || isClosed) return
    pending.delete(id)
    sockets.repeated++
    const { envelope, acknowledged } = delivery
    // An event comes in another envelope, and says how often it was sent before.
    const again = envelope.type === 'events_api'
      ? { ...envelope, envelope_id: randomUUID(), retry_attempt: envelope.retry_attempt + 1, retry_reason: 'timeout' }
      : envelope
    void send(again, acknowledged)
  }

  function acknowledge(socket: WebSocket, text: string): void {
    const { envelope_id: id, payload, ...others } = JSON.parse(text) as Json
    const delivery = pending.get(id as string)
    if (Object.keys(others).length > 0) mistakes.push(`More than an acknowledgement: ${Object.keys(others).join()}.`)
    // The acknowledgement of an envelope that was meanwhile sent again
    if (delivery?.socket !== socket) return
    if (payload !== undefined && !delivery.envelope.accepts_response_payload) mistakes.push('A payload for an event.')
    if (sockets.losing > 0) {
      sockets.losing--
      return socket.terminate()
    }
    pending.delete(id as string)
    delivery.acknowledged(payload as Json | undefined)
  }

  server.on('connection', (socket) => {
    const end = (reason: string) => {
      socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }))
      socket.close()
    }
    if (!sockets.enabled) return end('link_disabled')
    if (ready.length >= MAX_SOCKETS) return end('too_many_websockets')
    const ping = setInterval(() => socket.ping(), PING_INTERVAL_MS)
    ready.push(socket)
    for (const begin of waiting.splice(0)) begin()
    sockets.opened++
    sockets.overlaps.push(ready.length)
    socket.send(JSON.stringify({
      type: 'hello', num_connections: ready.length, connection_info: { app_id: 'A000000001' },
      debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: 18_060 },
    }))
    socket.on('message', data => acknowledge(socket, String(data)))
    socket.on('error', () => { /* Its end follows. */ })
    socket.on('close', () => {
      clearInterval(ping)
      if (ready.includes(socket)) ready.splice(ready.indexOf(socket), 1)
      for (const [id, delivery] of pending) if (delivery.socket === socket) repeat(id)
    })
  })
  return sockets
}
