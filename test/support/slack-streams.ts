import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Record<string, unknown>

/** https://docs.slack.dev/reference/methods/chat.appendStream: `markdown_text` takes 12,000 characters. */
const STREAM_LENGTH = 12_000

/**
 * What emulate lacks of Slack: streaming messages (chat.startStream, appendStream, stopStream), the status of a thread,
 * where commands are answered, and `markdown_text`. A stream is a message of the emulator that grows; everything else
 * is passed on.
 */
export async function startStreams(target: string): Promise<{ url: string, close: () => Promise<void> }> {
  const streams = new Map<string, { channel: string, text: string, open: boolean }>()

  const call = async (method: string, args: Json, authorization: string): Promise<Json> => {
    const response = await fetch(`${target}/api/${method}`, {
      method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(args),
    })
    return await response.json() as Json
  }

  async function answer(method: string, args: Json, authorization: string): Promise<Json | null> {
    const chunks = (args.chunks ?? []) as { type: string, text?: string }[]
    const added = String(args.markdown_text ?? '') + chunks.map(({ text = '' }) => text).join('')
    if (method === 'assistant.threads.setStatus') {
      return args.channel_id && args.thread_ts ? { ok: true } : refusal('invalid_arguments')
    }
    if (method === 'agents.sessions.setStatus') {
      const isKnown = ['processing', 'active', 'suspended', 'closed'].includes(String(args.status))
      return args.channel_id && args.thread_ts && isKnown ? { ok: true } : refusal('invalid_arguments')
    }
    if (method === 'chat.startStream') {
      if (!args.thread_ts) return refusal('invalid_arguments')
      if (!String(args.channel).startsWith('D') && !args.recipient_user_id) return refusal('missing_recipient_user_id')
      if (!String(args.channel).startsWith('D') && !args.recipient_team_id) return refusal('missing_recipient_team_id')
      const { channel, thread_ts } = args
      const posted = await call('chat.postMessage', { channel, thread_ts, text: added || ' ' }, authorization)
      if (posted.ok) streams.set(String(posted.ts), { channel: String(channel), text: added, open: true })
      return posted
    }
    if (method !== 'chat.appendStream' && method !== 'chat.stopStream') return null
    const stream = streams.get(String(args.ts))
    if (!stream) return refusal('message_not_found')
    if (!stream.open) return refusal('message_not_in_streaming_state')
    if (added.length > STREAM_LENGTH) return refusal('msg_too_long')
    stream.text += added
    stream.open = method === 'chat.appendStream'
    return call('chat.update', { channel: stream.channel, ts: args.ts, text: stream.text || ' ' }, authorization)
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request)
      if (request.url!.startsWith('/commands/')) return response.writeHead(200).end('ok')
      const method = request.url!.replace(/^\/api\//, '')
      const authorization = request.headers.authorization ?? ''
      const args = parse(body, request.headers['content-type'] ?? '')
      const own = await answer(method, args, authorization)
        ?? (args.markdown_text !== undefined && /^chat\.(post|update)/.test(method)
          ? await call(method, { ...args, text: args.markdown_text, markdown_text: undefined }, authorization)
          : null)
      if (own) return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(own))
      const { host, connection, 'content-length': length, 'transfer-encoding': encoding, ...headers } = request.headers
      const passed = await fetch(new URL(request.url!, target), {
        method: request.method, headers: headers as Record<string, string>,
        body: request.method === 'GET' ? undefined : body,
      })
      response.writeHead(
        passed.status, { 'content-type': passed.headers.get('content-type') ?? 'application/json' },
      ).end(Buffer.from(await passed.arrayBuffer()))
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function refusal(error: string): Json {
  return { ok: false, error }
}

function parse(body: string, contentType: string): Json {
  if (contentType.includes('json')) return JSON.parse(body || '{}') as Json
  if (!contentType.includes('urlencoded')) return {}
  return Object.fromEntries([...new URLSearchParams(body)].map(([key, value]) => [
    key, key === 'chunks' ? JSON.parse(value) as unknown : value,
  ]))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
