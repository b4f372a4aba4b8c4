import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

interface ForwardProxy {
  url: string
  /** Hosts called through the proxy, with their ports; tunnels included */
  hosts: () => string[]
  close: () => Promise<void>
}

/**
 * Starts a proxy like those between a company's network and the internet. It passes on requests with absolute
 * addresses, and opens tunnels. Hosts named `….test` lead to this machine, and only the proxy can resolve them. It
 * refuses all other hosts, which stand for the internet.
 */
export async function startForwardProxy(): Promise<ForwardProxy> {
  const hosts = new Set<string>()
  const sockets = new Set<Socket>()
  /** Returns the local port of a host; null for a host on the internet. */
  const portOf = (host: string): number | null => {
    hosts.add(host)
    const { hostname, port } = new URL(`http://${host}`)
    return hostname.endsWith('.test') || hostname === '127.0.0.1' ? Number(port || 80) : null
  }

  const server = createServer((incoming, response) => {
    const { host, pathname, search } = new URL(incoming.url ?? '')
    const port = portOf(host)
    if (!port) return response.writeHead(502).end()
    const { method, headers } = incoming
    const outgoing = ask({ host: '127.0.0.1', port, method, headers, path: pathname + search }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  const tunnel = (port: number | null, client: Duplex, head: Buffer, begin: (upstream: Socket) => void) => {
    if (!port) return client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect(port, '127.0.0.1', () => {
      begin(upstream)
      upstream.write(head)
      client.pipe(upstream).pipe(client)
    })
    for (const [one, other] of [[client, upstream], [upstream, client]]) one!.on('error', () => other!.destroy())
  }
  server.on('connect', ({ url }: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel(portOf(url!), client, head, () => client.write('HTTP/1.1 200 Connection Established\r\n\r\n'))
  })
  server.on('upgrade', ({ url, rawHeaders }: IncomingMessage, client: Duplex, head: Buffer) => {
    const { host, pathname, search } = new URL(url!)
    const lines = Array.from({ length: rawHeaders.length / 2 }, (_, index) => (
      `${rawHeaders[index * 2]}: ${rawHeaders[index * 2 + 1]}`
    ))
    tunnel(portOf(host), client, head, upstream => (
      void upstream.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    ))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts: () => [...hosts],
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
