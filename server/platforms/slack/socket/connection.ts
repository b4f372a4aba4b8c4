import http from 'node:http'
import https from 'node:https'
import { WebSocket } from 'ws'
import { jsonIn } from '../../../../shared/utils/json'
import type { Outcome } from '../../../ports/delivery'
import { pause } from '../../shared/patience'
import type { SocketEnvelope } from './inbox'

const HANDSHAKE_TIMEOUT_MS = 10_000
/** Time without a ping or a message after which a socket counts as dead, ms; Slack pings every few seconds */
const SILENCE_MS = 30_000
/** Time for which a socket is closed politely, ms: Slack leaves the TCP connection open */
const CLOSE_TIMEOUT_MS = 1000
/** Min interval between attempts, ms; Slack limits them by `Retry-After` */
const ATTEMPT_INTERVAL_MS = 100
const LONGEST_PAUSE_MS = 30_000

const OFF = 'Slack refuses the socket. Switch Socket Mode on: https://api.slack.com/apps → your app → Socket Mode.'

/** Messages of Slack: `hello` at the start, `disconnect` before the end, and envelopes */
interface Incoming extends Partial<SocketEnvelope> { reason?: string }

export interface ConnectionHooks {
  /** Asks Slack for the address of a socket, which is valid once. */
  address: () => Promise<Outcome<string>>
  /** Returns the JSON to answer with, empty for none. Rejects if Slack has to send the envelope again. */
  answer: (envelope: SocketEnvelope) => Promise<string>
  /** Called for every socket that Slack accepted */
  connected: () => void
  /** Called when no socket is open any more, and for each attempt that failed */
  detached: (why: string) => void
  /** Called if a setting has to be changed */
  refused: (why: string) => void
}

/** Keeps one socket to Slack. Slack ends each one after some hours; the next one is opened before that. */
export class SocketConnection {
  private current: WebSocket | null = null
  /** Open sockets, each with the answers that are not sent yet */
  private readonly sockets = new Map<WebSocket, Set<Promise<void>>>()
  private readonly closeController = new AbortController()
  private isConnecting = false
  private failureCount = 0
  /** By the monotonic clock */
  private nextAttemptAt = 0

  constructor(private readonly hooks: ConnectionHooks) {}

  /** Replaces the current socket, if there is one. Tries until that succeeds or `close` is called. */
  async connect(): Promise<void> {
    if (this.isConnecting) return
    this.isConnecting = true
    const replaced = this.current
    while (!this.isClosed && (this.current === null || this.current === replaced)) {
      await pause(Math.max(this.nextAttemptAt - performance.now(), 0), this.closeController.signal)
      if (!this.isClosed) await this.attempt()
    }
    this.isConnecting = false
  }

  /** Takes no more envelopes, sends the answers that are due, and closes all sockets. */
  async close(): Promise<void> {
    this.closeController.abort()
    await Promise.all([...this.sockets.keys()].map(socket => this.retire(socket)))
  }

  private get isClosed(): boolean {
    return this.closeController.signal.aborted
  }

  private async attempt(): Promise<void> {
    const startedAt = performance.now()
    this.nextAttemptAt = startedAt + Math.min(ATTEMPT_INTERVAL_MS * 2 ** this.failureCount++, LONGEST_PAUSE_MS)
    const outcome = await this.hooks.address()
    if (this.isClosed) return
    if (outcome.ok) return this.open(outcome.value)
    if (outcome.permanent) return this.hooks.refused(outcome.reason)
    this.nextAttemptAt = Math.max(this.nextAttemptAt, startedAt + (outcome.retryAfterMs ?? 0))
    if (!this.current) this.hooks.detached(outcome.reason)
  }

  /** Resolves once Slack has said hello, or the socket has failed. */
  private open(url: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const socket = new WebSocket(url, {
      // By default it would bypass the proxy that these agents use.
      agent: (url.startsWith('wss:') ? https : http).globalAgent,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS, perMessageDeflate: false,
    })
    const deadTimer = setTimeout(() => socket.terminate(), SILENCE_MS)
    let failure = ''
    this.sockets.set(socket, new Set())
    socket.on('ping', () => void deadTimer.refresh())
    socket.on('message', (data) => {
      deadTimer.refresh()
      const message = (jsonIn(String(data)) ?? {}) as Incoming
      if (message.type === 'hello') {
        this.replaceBy(socket)
        resolve(undefined)
      }
      else this.take(socket, message)
    })
    socket.on('error', ({ message }) => { failure = message })
    socket.on('close', (code) => {
      clearTimeout(deadTimer)
      this.sockets.delete(socket)
      const isReady = this.current === socket
      if (isReady) this.current = null
      if (!this.isClosed && !this.current) this.hooks.detached(failure || `close code ${code}`)
      if (isReady && !this.isClosed) void this.connect()
      resolve(undefined)
    })
    return promise
  }

  private replaceBy(socket: WebSocket): void {
    const previous = this.current
    this.current = socket
    this.failureCount = 0
    this.nextAttemptAt = performance.now() + ATTEMPT_INTERVAL_MS
    this.hooks.connected()
    if (previous && previous !== socket) void this.retire(previous)
  }

  private async retire(socket: WebSocket): Promise<void> {
    await Promise.all(this.sockets.get(socket) ?? [])
    if (socket.readyState === WebSocket.OPEN) {
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.close()
      await Promise.race([closed, pause(CLOSE_TIMEOUT_MS)])
    }
    socket.terminate()
  }

  private take(socket: WebSocket, message: Incoming): void {
    if (message.type === 'disconnect') {
      if (message.reason === 'link_disabled') this.hooks.refused(OFF)
      else if (socket === this.current) void this.connect()
    }
    if (this.isClosed || !message.envelope_id) return
    const answers = this.sockets.get(socket)
    const sending = this.answer(socket, message as SocketEnvelope).finally(() => answers?.delete(sending))
    answers?.add(sending)
  }

  /** Without an answer, Slack sends the envelope again. */
  private async answer(socket: WebSocket, envelope: SocketEnvelope): Promise<void> {
    const json = await this.hooks.answer(envelope).catch(() => null)
    if (json === null || socket.readyState !== WebSocket.OPEN) return
    const payload = json && envelope.accepts_response_payload ? `,"payload":${json}` : ''
    socket.send(`{"envelope_id":${JSON.stringify(envelope.envelope_id)}${payload}}`)
  }
}
