import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Recorded {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  at: number
  /** Status of the answer, once it was given. */
  status?: number
}

/**
 * What to do with a request instead of passing it on: answer it, drop the connection, hold it back, or nothing special.
 */
export type Fault
  = | { status: number, body?: string, headers?: Record<string, string> }
    | 'drop'
    | { hold: Promise<unknown> }
    /** Passed on and done, but the answer never arrives. */
    | 'lose-answer'

export interface Proxy {
  url: string
  requests: Recorded[]
  /** Decides about each request; undefined passes it on. */
  fault: (request: Recorded) => Fault | undefined
  close: () => Promise<void>
}

/** Answers as a vendor would. */
export type Vendor = (request: Recorded) => Response | Promise<Response>

/** Tells how requests differ from what the vendor's own package says of them. */
export type Check = (requests: readonly Recorded[]) => Promise<readonly string[]>

/**
 * Stands between the service and a vendor: records everything and misbehaves on command. The vendor is an address or
 * lives here; without one the answer is 200. At the end, what the vendor took has to be as it describes it.
 */
export async function startProxy(target?: string | Vendor, check: Check = async () => []): Promise<Proxy> {
  const all: Recorded[] = []
  const proxy: Proxy = { url: '', requests: [], fault: () => undefined, close: async () => {} }
  // A machine that stands still for seconds finds its connections open.
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
    const answer = typeof target === 'function'
      ? await target(recorded)
      : target ? await pass(recorded, target) : new Response('{}')
    if (fault === 'lose-answer') return void request.socket.destroy()
    recorded.status = answer.status
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' }).end(
      Buffer.from(await answer.arrayBuffer()),
    )
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

function pass({ method, path, headers, body }: Recorded, target: string): Promise<Response> {
  const { host, 'content-length': length, 'transfer-encoding': encoding, ...rest } = headers
  return fetch(new URL(path, target), {
    method, body: method === 'GET' ? undefined : body,
    // Vendors close connections that were silent, also while something is on its way.
    headers: { ...rest as Record<string, string>, connection: 'close' },
  })
}
