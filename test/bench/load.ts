import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A request serialized in advance, so that sending costs almost nothing */
export type RawRequest = Buffer

export interface Answer {
  status: number
  body: string
  ms: number
}

export function rawRequest(
  path: string, contentType: string, body: string, headers: Record<string, string> = {},
): RawRequest {
  const lines = Object.entries({
    'Host': 'forms.example.com', 'Content-Type': contentType, 'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  })
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}

/**
 * One keep-alive connection that sends one request at a time. Uses plain sockets: node's own HTTP client costs as much
 * as the fastest target, and would distort the results.
 */
export class Connection {
  private readonly socket: Socket
  private received = ''
  private pending?: { resolve: (answer: Answer) => void, reject: (error: Error) => void, startedAt: number }

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => this.read(text))
    this.socket.on('error', error => this.pending?.reject(error))
    this.socket.on('close', () => this.pending?.reject(new Error('The target closed the connection.')))
  }

  /** Resolves once connected; call it right away. Rejects if nothing listens. */
  opened(): Promise<unknown> {
    return once(this.socket, 'connect')
  }

  send(request: RawRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject, startedAt: performance.now() }
      this.socket.write(request)
    })
  }

  close(): void {
    this.pending = undefined
    this.socket.destroy()
  }

  private read(text: string): void {
    this.received += text
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0 || !this.pending) return
    const head = this.received.slice(0, headEnd)
    const body = this.received.slice(headEnd + 4)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined ? !body.endsWith('0\r\n\r\n') : body.length < Number(length)) return
    const { resolve, startedAt } = this.pending
    this.pending = undefined
    this.received = ''
    resolve({ status: Number(head.slice(9, 12)), body, ms: performance.now() - startedAt })
  }
}

export interface LoadResult {
  requests: number
  perSecond: number
  p50: number
  p99: number
}

/** Time in which an idle target surely accepts a hundred connections, ms */
const ACCEPTED_MS = 50

/**
 * Runs several senders for a time or a number of requests; each sends its next request after the last answer. All
 * connect before any of them sends, as proxies do. Node accepts one new connection per turn of its event loop, so the
 * last of a hundred would otherwise wait for the requests of the first ones, whatever the target does.
 */
export async function closedLoop(
  port: number, senders: number, next: () => RawRequest, until: { ms?: number, requests?: number },
): Promise<LoadResult> {
  const connections = Array.from({ length: senders }, () => new Connection(port))
  const times: number[] = []
  await Promise.all(connections.map(connection => connection.opened()))
  await setTimeout(ACCEPTED_MS)
  const { ms = Infinity, requests = Infinity } = until
  const startedAt = performance.now()
  let started = 0
  await Promise.all(connections.map(async (connection) => {
    while (started < requests && performance.now() - startedAt < ms) {
      started++
      times.push(expectOk(await connection.send(next())).ms)
    }
    connection.close()
  }))
  return {
    requests: times.length, perSecond: times.length / (performance.now() - startedAt) * 1000, ...percentiles(times),
  }
}

/** Sends one request every `everyMs`, regardless of the answers. @returns duration and send time of each request */
export async function openLoop(
  port: number, requests: readonly RawRequest[], everyMs: number,
): Promise<{ p50: number, p99: number, sentAt: number[] }> {
  const idle: Connection[] = []
  const answers: Promise<Answer>[] = []
  const sentAt: number[] = []
  const startedAt = performance.now()
  for (const [index, request] of requests.entries()) {
    await setTimeout(Math.max(0, startedAt + index * everyMs - performance.now()))
    const connection = idle.pop() ?? new Connection(port)
    sentAt.push(Number(process.hrtime.bigint()) / 1e6)
    answers.push(connection.send(request).finally(() => idle.push(connection)))
  }
  const times = (await Promise.all(answers)).map(answer => expectOk(answer).ms)
  for (const connection of idle) connection.close()
  return { ...percentiles(times), sentAt }
}

export function percentiles(times: readonly number[]): { p50: number, p99: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? NaN
  return { p50: at(0.5), p99: at(0.99) }
}

function expectOk(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`The target answered ${answer.status}: ${answer.body.slice(0, 300)}`)
  return answer
}
