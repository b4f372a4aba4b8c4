// A peer built as in the Chat SDK's guide: Hono, the SDK's Slack adapter and its Redis state. A crash loses work.
import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { createSlackAdapter } from '@chat-adapter/slack'
import { createRedisState } from '@chat-adapter/state-redis'
import { Actions, Button, Card, CardText, Chat, Divider, Field, Fields, type ActionEvent, type CardElement } from 'chat'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createClient, type RedisClientType } from 'redis'
import { Resend } from 'resend'

type FormData = Record<string, unknown>

const env = process.env as Record<string, string>
const TTL_S = 7 * 24 * 60 * 60
const channel = `slack:${env.CHAT_CHANNEL_ID}`

const client = createClient({ url: env.STORE_URL }) as RedisClientType
await client.connect()
const slack = createSlackAdapter({
  botToken: env.CHAT_BOT_TOKEN, signingSecret: env.CHAT_SIGNING_SECRET, apiUrl: env.SLACK_API_URL,
})
const bot = new Chat({
  userName: 'form-bot', adapters: { slack }, state: createRedisState({ client }), logger: 'error',
})
const resend = new Resend(env.MAIL_API_KEY)

const fieldsOf = (data: FormData) => Fields(
  Object.entries(data).map(([label, value]) => Field({ label, value: String(value) })),
)

function newCard(data: FormData, id: string): CardElement {
  return Card({
    title: 'New Form Submission',
    children: [
      fieldsOf(data),
      Divider(),
      Actions([
        Button({ id: 'forward', label: 'Forward Submission', style: 'primary', value: id }),
        Button({ id: 'edit', label: 'Edit & Forward', style: 'primary', value: id }),
      ]),
      Actions([Button({ id: 'spam', label: 'Mark as Spam', style: 'danger', value: id })]),
    ],
  })
}

async function sendEmail(data: FormData): Promise<void> {
  const rows = Object.entries(data).map(([label, value]) => `<tr><th align="left">${label}</th><td>${String(value)}</td></tr>`)
  await resend.emails.send({
    from: `Formbot <${env.MAIL_FROM_ADDRESS}>`, to: env.FORWARD_EMAIL!, subject: 'Form submission',
    html: `<h1>Form submission</h1><table>${rows.join('')}</table>`,
  })
}

async function postToEndpoint(data: FormData): Promise<void> {
  if (env.FORWARD_ENDPOINT) {
    await fetch(env.FORWARD_ENDPOINT, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(data),
    })
  }
}

async function forward(event: ActionEvent, data: FormData, id: string): Promise<void> {
  const card = Card({ title: 'Form Submission forwarded', children: [
    fieldsOf(data), Divider(), CardText(`Forwarded by ${event.user.fullName}`),
  ] })
  await Promise.all([
    sendEmail(data), postToEndpoint(data), slack.editMessage(event.threadId, event.messageId, card),
    client.del(`form:${id}`),
  ])
}

async function spam(event: ActionEvent, id: string): Promise<void> {
  const card = Card({
    title: 'Form Submission marked as spam', children: [CardText(`Marked by ${event.user.fullName}`)],
  })
  await Promise.all([slack.editMessage(event.threadId, event.messageId, card), client.del(`form:${id}`)])
}

bot.onAction(['forward', 'spam'], async (event) => {
  const id = event.value
  if (!id || !event.thread) return
  const stored = await client.get(`form:${id}`)
  if (!stored) return
  await (event.actionId === 'forward' ? forward(event, JSON.parse(stored), id) : spam(event, id))
})

const app = new Hono()
app.use('/api/form', cors())
app.post('/api/form', async (c) => {
  const data = await c.req.json<FormData>()
  const submissionId = randomUUID()
  await client.set(`form:${submissionId}`, JSON.stringify(data), { EX: TTL_S })
  await bot.channel(channel).post(newCard(data, submissionId))
  return c.json({ status: 'received', submissionId })
})
app.post('/api/webhooks/:platform', async (c) => {
  if (c.req.param('platform') !== 'slack') return c.json({ error: `Unknown platform: ${c.req.param('platform')}` }, 404)
  return await bot.webhooks.slack(c.req.raw)
})

await bot.initialize()
serve({ fetch: app.fetch, port: Number(env.PORT), hostname: env.HOST })
