// The bench's vendors in one lean process: Slack, Resend, a downstream system, and a little of Discord.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Instructions of the bench over the IPC channel; each is answered with `Noted`. */
export interface Instruction {
  /** Delay of every answer, ms */
  delayMs?: number
  /** Records posted cards and edit times from now on; drops earlier records. */
  record?: boolean
}

export interface Noted {
  /** Bodies of the posted cards, unchanged, by `ts` */
  cards: Record<string, string>
  /** Time of each card's first edit, ms of the monotonic clock that all processes share, by `ts` */
  editedAt: Record<string, number>
  emails: number
}

const state = { delayMs: 0, record: false, posted: 0 }
let noted: Noted = { cards: {}, editedAt: {}, emails: 0 }

const REVIEWER = {
  id: 'U000000001', name: 'ada', real_name: 'Ada Lovelace', profile: { real_name: 'Ada Lovelace', display_name: 'ada' },
}

/** Fixed answers, by the last part of the path */
const ANSWERS: Record<string, string> = {
  'auth.test': JSON.stringify({
    ok: true, user_id: 'U000000009', bot_id: 'B000000009', team_id: 'T000000001', user: 'form-bot',
    url: 'https://example.slack.com/', team: 'bench',
  }),
  'users.info': JSON.stringify({ ok: true, user: REVIEWER }),
  'views.open': JSON.stringify({ ok: true, view: { id: 'V1' } }),
  'conversations.replies': JSON.stringify({ ok: true, messages: [] }),
  'emails': JSON.stringify({ id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }),
  'bot': JSON.stringify({ url: 'ws://127.0.0.1:9', shards: 1, session_start_limit: {
    total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1,
  } }),
  'messages': JSON.stringify({ id: '1400000000000000001', channel_id: '1400000000000000000' }),
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => { body += chunk })
  request.on('end', () => {
    const text = answer(request, body)
    if (state.delayMs === 0) return end(response, text)
    setTimeout(end, state.delayMs, response, text)
  })
})

function answer({ url = '' }: IncomingMessage, body: string): string {
  const method = url.slice(url.lastIndexOf('/') + 1)
  if (method === 'chat.postMessage') {
    const ts = `1700000000.${String(++state.posted).padStart(6, '0')}`
    if (state.record) noted.cards[ts] = body
    return `{"ok":true,"channel":"C000000001","ts":"${ts}","message":{"ts":"${ts}"}}`
  }
  if (method === 'chat.update') {
    const ts = /\bts(?:"|%22)?[=:]"?(\d+\.\d+)/.exec(body)?.[1] ?? ''
    noted.editedAt[ts] ??= Number(process.hrtime.bigint()) / 1e6
    return `{"ok":true,"channel":"C000000001","ts":"${ts}","text":""}`
  }
  if (method === 'emails') noted.emails++
  return ANSWERS[method] ?? '{"ok":true}'
}

function end(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

process.on('message', ({ delayMs = state.delayMs, record = state.record }: Instruction) => {
  Object.assign(state, { delayMs, record })
  process.send!(noted)
  noted = { cards: {}, editedAt: {}, emails: 0 }
})
process.on('disconnect', () => process.exit())

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
