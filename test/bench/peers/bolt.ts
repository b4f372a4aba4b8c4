// A peer built on Slack's own framework.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { App, LogLevel, type BlockAction, type ButtonAction } from '@slack/bolt'
import { createClient } from 'redis'
import { Resend } from 'resend'

type FormData = Record<string, unknown>

const env = process.env as Record<string, string>
const TTL_S = 7 * 24 * 60 * 60
const channel = env.CHAT_CHANNEL_ID!

const client = createClient({ url: env.STORE_URL })
await client.connect()
const resend = new Resend(env.MAIL_API_KEY)

const text = (value: string) => ({ type: 'plain_text' as const, text: value })
const button = (action_id: string, label: string, style: 'primary' | 'danger', value: string) => ({
  type: 'button' as const, action_id, text: text(label), style, value,
})
const fieldsOf = (data: FormData) => ({ type: 'section' as const, fields: Object.entries(data).map(([label, value]) => (
  { type: 'mrkdwn' as const, text: `*${label}*\n${String(value)}` }
)) })
const header = (title: string) => ({ type: 'header' as const, text: text(title) })

function newCard(data: FormData, id: string) {
  return [
    header('New Form Submission'), fieldsOf(data), { type: 'divider' as const },
    { type: 'actions' as const, elements: [
      button('forward', 'Forward Submission', 'primary', id), button('edit', 'Edit & Forward', 'primary', id),
    ] },
    { type: 'actions' as const, elements: [button('spam', 'Mark as Spam', 'danger', id)] },
  ]
}

async function takeForm(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const data = JSON.parse(Buffer.concat(chunks).toString()) as FormData
  const submissionId = randomUUID()
  await client.set(`form:${submissionId}`, JSON.stringify(data), { EX: TTL_S })
  await app.client.chat.postMessage({ channel, text: 'New Form Submission', blocks: newCard(data, submissionId) })
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({ status: 'received', submissionId }),
  )
}

const app = new App({
  token: env.CHAT_BOT_TOKEN, signingSecret: env.CHAT_SIGNING_SECRET, logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: env.SLACK_API_URL },
  endpoints: ['/api/webhooks/slack'],
  customRoutes: [
    { path: '/api/form', method: 'POST', handler: (request, response) => void takeForm(request, response) },
  ],
})

app.action<BlockAction<ButtonAction>>(/^(forward|spam)$/, async ({ ack, action, body }) => {
  await ack()
  const id = action.value ?? ''
  const stored = await client.get(`form:${id}`)
  if (!stored) return
  const data = JSON.parse(stored) as FormData
  const edit = (title: string) => app.client.chat.update({
    channel, ts: body.message!.ts as string, text: title,
    blocks: [header(title), fieldsOf(data), { type: 'context', elements: [text(`${title} by ${body.user.name}`)] }],
  })
  if (action.action_id === 'spam') {
    return void await Promise.all([edit('Form Submission marked as spam'), client.del(`form:${id}`)])
  }
  const rows = Object.entries(data).map(([label, value]) => `<tr><th align="left">${label}</th><td>${String(value)}</td></tr>`)
  await Promise.all([
    resend.emails.send({
      from: `Formbot <${env.MAIL_FROM_ADDRESS}>`, to: env.FORWARD_EMAIL!, subject: 'Form submission',
      html: `<h1>Form submission</h1><table>${rows.join('')}</table>`,
    }),
    env.FORWARD_ENDPOINT
    && fetch(env.FORWARD_ENDPOINT, { method: 'POST', headers: { 'content-type': 'application/json' }, body: stored }),
    edit('Form Submission forwarded'),
    client.del(`form:${id}`),
  ])
})

await app.start(Number(env.PORT))
