import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { createEvent, type H3Event } from 'h3'

/** Creates a request event without a server. Nobody reads its response. */
export function httpEvent(headers: IncomingMessage['headers'] = {}, more: Partial<IncomingMessage> = {}): H3Event {
  const incoming = Object.assign(new IncomingMessage(new Socket()), { headers, ...more })
  return createEvent(incoming, new ServerResponse(incoming))
}
