// A minimal peer: node:http, one Redis command, and one call of each vendor over a keep-alive agent. Checks only
// signatures.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import { createClient } from 'redis'

type FormData = Record<string, unknown>

const env = process.env as Record<string, string>
const TTL_S = 7 * 24 * 60 * 60
const agent = new Agent({ keepAlive: true, maxSockets: 1000 })
const client = createClient({ url: env.STORE_URL })
await client.connect()

function post(url: string, payload: unknown, token?: string): Promise<string> {
  const body = JSON.stringify(payload)
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json', 'content-length': Buffer.byteLength(body),
      ...token ? { authorization: `Bearer ${token}` } : {},
    }
    send(
      url, { method: 'POST', agent, headers }, response => void read(response).then(resolve, reject),
    ).on('error', reject).end(body)
  })
}

function read(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    message.setEncoding('utf8').on(
      'data', (chunk: string) => { text += chunk },
    ).on('end', () => resolve(text)).on('error', reject)
  })
}

const slack = (method: string, payload: object) => post(`${env.SLACK_API_URL}${method}`, payload, env.CHAT_BOT_TOKEN)
const fieldsOf = (data: FormData) => Object.entries(data).map(([label, value]) => ({
  type: 'mrkdwn', text: `*${label}*\n${String(value)}`,
}))
const button = (action_id: string, label: string, value: string) => ({
  type: 'button', action_id, text: { type: 'plain_text', text: label }, value,
})

async function takeForm(request: IncomingMessage): Promise<object> {
  const text = await read(request)
  const data = JSON.parse(text) as FormData
  const submissionId = randomUUID()
  await client.set(`form:${submissionId}`, text, { EX: TTL_S })
  await slack('chat.postMessage', {
    channel: env.CHAT_CHANNEL_ID, text: 'New Form Submission',
    blocks: [{ type: 'section', fields: fieldsOf(data) }, { type: 'actions', elements: [
      button('forward', 'Forward Submission', submissionId), button('edit', 'Edit & Forward', submissionId),
      button('spam', 'Mark as Spam', submissionId),
    ] }],
  })
  return { status: 'received', submissionId }
}

async function click(request: IncomingMessage): Promise<object> {
  const text = await read(request)
  const expected = `v0=${createHmac('sha256', env.CHAT_SIGNING_SECRET!).update(`v0:${String(request.headers['x-slack-request-timestamp'])}:${text}`).digest('hex')}`
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(String(request.headers['x-slack-signature'])))) {
    throw new Error('forged')
  }
  void decide(JSON.parse(new URLSearchParams(text).get('payload')!))
  return {}
}

interface Click { actions: [{ action_id: string, value: string }], message: { ts: string }, user: { name: string } }

async function decide({ actions: [{ action_id, value: id }], message: { ts }, user }: Click): Promise<void> {
  const stored = await client.get(`form:${id}`)
  if (!stored) return
  const data = JSON.parse(stored) as FormData
  const edit = slack('chat.update', { channel: env.CHAT_CHANNEL_ID, ts, text: `Decided by ${user.name}`, blocks: [
    { type: 'section', fields: fieldsOf(data) },
  ] })
  const rows = fieldsOf(data).map(field => `<p>${field.text}</p>`)
  const deliveries = action_id === 'forward'
    ? [post(`${env.RESEND_BASE_URL}/emails`, {
        from: env.MAIL_FROM_ADDRESS, to: env.FORWARD_EMAIL, subject: 'Form submission', html: rows.join(''),
      }, env.MAIL_API_KEY), post(env.FORWARD_ENDPOINT!, data)]
    : []
  await Promise.all([edit, ...deliveries, client.del(`form:${id}`)])
}

function answer(response: ServerResponse, work: Promise<object>): void {
  work.then(
    body => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    () => response.writeHead(500).end(),
  )
}

createServer((request, response) => answer(
  response, request.url === '/api/form' ? takeForm(request) : click(request),
)).listen(Number(env.PORT), env.HOST)
