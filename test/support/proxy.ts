import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request as ask } from 'undici'

export interface Recorded {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  at: number
  /** Status of the answer, once given */
  status?: number
}

/** Handling of a request instead of passing it on: answer it, drop the connection, hold it back, or nothing special. */
export type Fault
  = | { status: number, body?: string, headers?: Record<string, string> }
    | 'drop'
    | { hold: Promise<unknown> }
    /** The vendor processes the request, but its answer is lost. */
    | 'lose-answer'

export interface Proxy {
  url: string
  requests: Recorded[]
  /** Returns the fault for a request; undefined passes the request on. */
  fault: (request: Recorded) => Fault | undefined
  close: () => Promise<void>
}

/** Answers a request like a vendor, or returns the address of a server that does. */
export type Vendor = (request: Recorded) => Response | string | Promise<Response | string>

/** Returns how requests differ from the vendor's own types. */
export type Check = (requests: readonly Recorded[]) => Promise<readonly string[]>

/**
 * Starts a proxy between the service and a vendor that records all requests and injects faults on demand. The vendor is
 * an address or a function; without one the answer is 200. On closing, all accepted requests must match its types.
 */
export async function startProxy(target?: string | Vendor, check: Check = async () => []): Promise<Proxy> {
  const all: Recorded[] = []
  const proxy: Proxy = { url: '', requests: [], fault: () => undefined, close: async () => {} }
  // Never close idle connections: clients must still find them open after the machine stalls for seconds.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void handle(request, response).catch(() => request.socket.destroy())
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const recorded: Recorded = {
      method: request.method ?? '', path: request.url ?? '', headers: request.headers,
      body: Buffer.concat(chunks).toString(), at: Date.now(),
    }
    proxy.requests.push(recorded)
    all.push(recorded)
    const fault = proxy.fault(recorded)
    if (fault === 'drop') return void request.socket.destroy()
    if (typeof fault === 'object' && 'hold' in fault) await fault.hold
    if (typeof fault === 'object' && 'status' in fault) {
      recorded.status = fault.status
      return void response.writeHead(
        fault.status, { 'content-type': 'application/json', ...fault.headers },
      ).end(fault.body ?? '{}')
    }
    const vendor = typeof target === 'function' ? await target(recorded) : target ?? new Response('{}')
    const answer = typeof vendor === 'string' ? await pass(recorded, vendor) : await read(vendor)
    if (fault === 'lose-answer') return void request.socket.destroy()
    recorded.status = answer.status
    const { location } = answer
    response.writeHead(
      answer.status, { 'content-type': answer.type ?? 'application/json', ...location && { location } },
    ).end(answer.body)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  proxy.close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    const mistakes = new Set(await check(all.filter(({ status }) => status === undefined || status < 400)))
    if (mistakes.size > 0) throw new Error(`Not as the vendor describes it:\n${[...mistakes].join('\n')}`)
  }
  return proxy
}

interface Answer { status: number, type: string | null | undefined, body: Buffer, location?: string | null }

/** Uses undici's `request`: global `fetch` takes several times as long. */
async function pass({ method, path, headers, body }: Recorded, target: string): Promise<Answer> {
  const { host, connection, 'accept-encoding': encodings, 'content-length': length, ...rest } = headers
  delete rest['transfer-encoding']
  const answer = await ask(new URL(path, target), {
    // Use a new connection: vendors close idle ones, even while a request is on its way.
    method, headers: rest, body: method === 'GET' ? undefined : body, reset: true,
  })
  const type = answer.headers['content-type'] as string | undefined
  return { status: answer.statusCode, type, body: Buffer.from(await answer.body.arrayBuffer()) }
}

async function read(answer: Response): Promise<Answer> {
  const body = Buffer.from(await answer.arrayBuffer())
  const { status, headers } = answer
  return { status, type: headers.get('content-type'), body, location: headers.get('location') }
}
