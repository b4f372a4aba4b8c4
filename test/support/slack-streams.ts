import { askEmulator } from './emulator'
import type { Recorded } from './proxy'

type Json = Record<string, unknown>

/** https://docs.slack.dev/reference/methods/chat.appendStream: `markdown_text` takes 12,000 characters. */
const STREAM_LENGTH = 12_000

/**
 * Adds the Slack features that the emulator lacks: streaming messages (chat.startStream, appendStream, stopStream), the
 * status of a thread, answers to commands, and `markdown_text`. A stream is an emulator message that grows. The
 * returned function resolves with null for requests that the emulator answers itself.
 */
export function streamsOn(target: string): (request: Recorded) => Promise<Response | null> {
  const streams = new Map<string, { channel: string, text: string, open: boolean }>()

  const call = (method: string, args: Json, authorization: string) => (
    askEmulator<Json>(`${target}/api/${method}`, authorization, args)
  )

  async function answer(method: string, args: Json, authorization: string): Promise<Json | null> {
    const chunks = (args.chunks ?? []) as { type: string, text?: string }[]
    const added = String(args.markdown_text ?? '') + chunks.map(({ text = '' }) => text).join('')
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

  return async ({ path, headers, body }) => {
    if (path.startsWith('/commands/')) return new Response('ok')
    const method = path.replace(/^\/api\//, '')
    const authorization = headers.authorization ?? ''
    const args = parse(body, headers['content-type'] ?? '')
    const own = await answer(method, args, authorization)
      ?? (args.markdown_text !== undefined && /^chat\.(post|update)/.test(method)
        ? await call(method, { ...args, text: args.markdown_text, markdown_text: undefined }, authorization)
        : null)
    return own && Response.json(own)
  }
}

const refusal = (error: string): Json => ({ ok: false, error })

function parse(body: string, contentType: string): Json {
  if (contentType.includes('json')) return JSON.parse(body || '{}') as Json
  if (!contentType.includes('urlencoded')) return {}
  return Object.fromEntries([...new URLSearchParams(body)].map(([key, value]) => [
    key, key === 'chunks' ? JSON.parse(value) as unknown : value,
  ]))
}
