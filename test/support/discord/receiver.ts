import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StateAdapter } from 'chat'
import { firstDelivery, type ForwardedEvent } from '../../../server/platforms/discord/gateway/events'
import type { Json } from './types'

type Handled = ForwardedEvent & { data: Json }

/**
 * Our webhook route: checks the token, stops repetitions, takes its time, and notes what was handled in which order.
 */
export interface Receiver {
  url: string
  handled: Handled[]
  /** Arrivals that were stopped as repetitions. */
  repeated: number
  /** Answers so instead, as in an outage. */
  broken: { status: number, headers?: Record<string, string> } | undefined
  close: () => Promise<void>
}

export async function startReceiver(state: StateAdapter, botToken: string, handlerMs = 5): Promise<Receiver> {
  const receiver: Receiver = { url: '', handled: [], repeated: 0, broken: undefined, close: async () => {} }
  const server = createServer(async (request, response) => {
    const { status, headers } = await answer(request).catch(() => ({ status: 500, headers: {} }))
    response.writeHead(status, headers).end()
  })

  async function answer(request: IncomingMessage): Promise<{ status: number, headers?: Record<string, string> }> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.headers['x-discord-gateway-token'] !== botToken) return { status: 401 }
    if (receiver.broken) return receiver.broken
    const event = JSON.parse(Buffer.concat(chunks).toString()) as Handled
    if (await firstDelivery(state, event)) {
      receiver.handled.push(event)
      await new Promise(resolve => setTimeout(resolve, handlerMs))
    }
    else receiver.repeated++
    return { status: 200 }
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/discord`
  receiver.close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return receiver
}
