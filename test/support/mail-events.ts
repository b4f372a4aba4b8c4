import { createHmac, randomUUID } from 'node:crypto'
import type { SubmissionStore } from '../../server/ports/store'
import { click, submit, type Deployment } from './deployment'
import type { SlackMessage } from './slack'
import { until } from './until'
import { postJson } from './webhook'

export const MAIL_SECRET = `whsec_${Buffer.from('the secret of a webhook at Resend').toString('base64')}`

/** Resend's event about an email, in its documented format */
export interface MailEventBody { type: string, created_at: string, data: Record<string, unknown> }

export function mailEvent(
  type: string, submission: string, messageId: string, details: Record<string, unknown> = {},
): MailEventBody {
  return {
    type: `email.${type}`, created_at: new Date().toISOString(),
    data: {
      email_id: messageId, created_at: new Date().toISOString(), from: 'Formbot <forms@example.com>',
      to: ['triage@example.com'], subject: 'Form submission', tags: { submission }, ...details,
    },
  }
}

export const noMailbox = {
  bounce: { message: 'The mailbox <triage@example.com> is unknown.', subType: 'NoEmail', type: 'Permanent' },
}

interface Signing { secret?: string, id?: string, at?: number }

/** Returns the headers of a Resend webhook: https://docs.svix.com/receiving/verifying-payloads/how-manual */
export function signedHeaders(
  body: string, { secret = MAIL_SECRET, id = `msg_${randomUUID()}`, at = Date.now() }: Signing = {},
): Record<string, string> {
  const seconds = String(Math.floor(at / 1000))
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'svix-id': id, 'svix-timestamp': seconds, 'svix-signature': `v1,${signature}` }
}

/** Sends a webhook as Resend does. */
export function send(
  { server }: Pick<Deployment, 'server'>, event: MailEventBody, signing: Signing = {},
): Promise<Response> {
  const body = JSON.stringify(event)
  return postJson(`${server.url}/api/mail/events`, body, signedHeaders(body, signing))
}

/** Sends a webhook as `send` does; resolves with the answer once all effects are done. */
export async function tell(
  deployment: Pick<Deployment, 'server'>, event: MailEventBody, signing?: Signing,
): Promise<Response> {
  const response = await send(deployment, event, signing)
  await deployment.server.drain()
  return response
}

/** Sends a form, forwards it from its card, and waits until no work is left. `email` is Resend's id of the email. */
export async function forward(
  deployment: Deployment, store: Pick<SubmissionStore, 'get'>, form: object, path = '',
): Promise<{ id: string, card: SlackMessage, email: string }> {
  const { id, card } = await submit(deployment, form, path)
  await deployment.server.drain()
  await click(deployment, card, 'forward', id)
  await until('every card follows', async () => {
    const { state, work } = (await store.get(id))!
    return state === 'settled' && work.length === 0
  })
  return { id, card, email: await emailOf(store, id) }
}

/** Returns Resend's id of the submission's last email. */
export async function emailOf(store: Pick<SubmissionStore, 'get'>, id: string): Promise<string> {
  return (await store.get(id))!.sent!.find(({ delivery }) => delivery === 'email')!.messageId!
}
