import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'emulate'
import { onTestFinished } from 'vitest'
import { blockText } from './block-kit'
import { askEmulator } from './emulator'
import { freePort } from './ports'
import { startProxy, type Proxy, type Recorded } from './proxy'
import { startRedis, type RedisServer } from './redis-server'
import { startServer, type Server } from './server'
import {
  blockActions, BOT_TOKEN, CHANNEL, command, interact, SIGNING_SECRET, startSlack, viewSubmission, type Block,
  type Slack, type SlackMessage,
} from './slack'
import { until } from './until'
import { WITH_PASSWORD } from './visitor'
import { postJson } from './webhook'

export const SIGNING_KEY = `whsec_${Buffer.from('a downstream signing secret').toString('base64')}`

/** Environment for a platform other than Slack: no variable of Slack is set. */
export const NO_SLACK = { CHAT_BOT_TOKEN: '', CHAT_SIGNING_SECRET: '', CHAT_CHANNEL_ID: '' }

export interface Deployment {
  server: Server
  redis: RedisServer
  slack: Slack
  /** Resend, emulated by emulate, behind a proxy */
  resend: Proxy & { emails: () => Promise<SentEmail[]> }
  /** Downstream system that receives forwarded submissions */
  endpoint: Proxy
  /** The production environment of this deployment */
  env: Record<string, string>
  close: () => Promise<void>
}

interface SentEmail {
  to: string[]
  from: string
  subject: string
  html: string
  text: string
  reply_to: string[]
}

/**
 * Starts a production deployment on loopback: real Redis, Slack and Resend by emulate, a downstream system and the
 * built server. `STORE=sqlite npx vitest …` tries a test file with a store in a file, if it does not look into Redis.
 *
 * @param settings environment variables, or a function that derives them from the services started before the server
 */
export async function deploy(
  settings: Record<string, string> | ((slack: Slack) => Record<string, string>) = {},
): Promise<Deployment> {
  const [redis, slack, mailbox, endpoint] = await Promise.all([startRedis(), startSlack(), startResend(), startProxy()])
  const overrides = typeof settings === 'function' ? settings(slack) : settings
  const dir = mkdtempSync(join(tmpdir(), 'store-'))
  const env = {
    NODE_ENV: 'production',
    CHAT_BOT_TOKEN: BOT_TOKEN, CHAT_SIGNING_SECRET: SIGNING_SECRET, CHAT_CHANNEL_ID: CHANNEL,
    SLACK_API_URL: slack.apiUrl,
    STORE_URL: process.env.STORE === 'sqlite' ? `sqlite:${join(dir, 'forms.db')}` : redis.url,
    MAIL_API_KEY: 're_test_key', MAIL_FROM_ADDRESS: 'forms@example.com', RESEND_BASE_URL: mailbox.url,
    FORWARD_EMAIL: 'triage@example.com', FORWARD_ENDPOINT: `${endpoint.url}/inbox?token=secret-in-url`,
    FORWARD_SIGNING_SECRET: SIGNING_KEY,
    NUXT_PUBLIC_SITE_URL: 'https://forms.example.com',
    // Set a password: in production, the pages need one even on this machine.
    ...overrides.NODE_ENV ? {} : WITH_PASSWORD,
    RETRY_BASE_MS: '100', SWEEP_INTERVAL_MS: '500', CARD_INTERVAL_MS: '2', FORM_RATE_LIMIT: '0',
    FORM_RATE_LIMIT_MB: '0',
    ...overrides,
  }
  const deployment: Deployment = {
    server: await startServer(env), redis, slack, resend: mailbox, endpoint, env,
    close: async () => {
      await deployment.server.kill()
      await Promise.all([slack.close(), mailbox.close(), endpoint.close(), redis.stop()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return deployment
}

async function startResend(): Promise<Deployment['resend']> {
  const emulator = await createEmulator({ service: 'resend', port: await freePort() })
  const proxy = await startProxy(emulator.url)
  const read = <T>(path: string) => askEmulator<T>(emulator.url + path, 'Bearer re_test_key')
  // Cache sent emails: they never change.
  const sent = new Map<string, Promise<SentEmail>>()
  const emails = async () => {
    const { data } = await read<{ data: { id: string }[] }>('/emails')
    return Promise.all(data.map(({ id }) => sent.get(id) ?? sent.set(id, read<SentEmail>(`/emails/${id}`)).get(id)!))
  }
  const closeProxy = proxy.close
  return Object.assign(proxy, {
    emails,
    close: async () => {
      await closeProxy()
      await emulator.close()
    },
  })
}

/** Starts another process of a deployment for one test, with these additional variables. */
export async function serveAlso({ env }: Pick<Deployment, 'env'>, overrides: Record<string, string>): Promise<Server> {
  const server = await startServer({ ...env, ...overrides })
  // Post pending cards before the process ends. Otherwise another process would post them during a later test.
  onTestFinished(() => server.drain().then(() => server.kill()))
  return server
}

/** Returns the requests to Resend about a submission. */
export function emailsAbout({ resend }: Pick<Deployment, 'resend'>, id: string): Recorded[] {
  return resend.requests.filter(({ headers }) => String(headers['idempotency-key']).startsWith(id))
}

/** Sends a form as a website would. Strings are sent unchanged. */
export function sendForm(
  server: Server, body: unknown, headers: Record<string, string> = {}, form = '',
): Promise<Response> {
  return postJson(`${server.url}/api/form${form}`, body, headers)
}

/** Sends a form, and reads the answer. */
export async function answerOf(server: Server, body: unknown = { name: 'Ada' }, headers: Record<string, string> = {}) {
  const response = await sendForm(server, body, headers)
  return { status: response.status, headers: response.headers, json: await response.json() as Record<string, string> }
}

/** Returns the id of the accepted submission. */
export async function idOf(answer: Response): Promise<string> {
  if (!answer.ok) throw new Error(`The form was answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json() as { submissionId: string }).submissionId
}

/** Sends a form and resolves with its submission id. */
export async function submitForm(server: Server, data: unknown, form = ''): Promise<string> {
  return idOf(await sendForm(server, data, {}, form))
}

/** Sends a form and resolves with its id and its Slack card. */
export async function submit(
  deployment: Deployment, data: unknown, path = '',
): Promise<{ id: string, card: SlackMessage }> {
  const id = await submitForm(deployment.server, data, path)
  return { id, card: await cardOf(deployment, id) }
}

/** Returns the newest card with buttons for this submission. */
export function cardOf({ slack }: Pick<Deployment, 'slack'>, id: string, channel?: string): Promise<SlackMessage> {
  return until(`the card of ${id}`, async () => (await slack.messages(channel)).find(({ blocks }) => (
    blocks.some(({ type, elements }) => type === 'actions' && elements[0].value === id)
  )))
}

/** Returns the current version of the card. */
export async function cardNow(
  { slack }: Pick<Deployment, 'slack'>, { ts }: SlackMessage, channel?: string,
): Promise<SlackMessage> {
  return (await slack.messages(channel)).find(message => message.ts === ts)!
}

/**
 * Returns the edits of Slack cards. Early edits announce that a forward is on its way, if it takes more than a second.
 * Edits are sent in parallel with the write. If the write fails because the record had changed, the edit is repeated.
 */
export function cardEdits({ slack }: Deployment): { early: Block[], final: Block[], repeated: Block[] } {
  const isEarly = ({ blocks }: Block) => blockText(blocks).includes('Being sent to ')
  const edits = slack.calls('chat.update')
  const repeated = edits.filter((edit, index) => {
    const before = edits.slice(0, index).findLast(({ ts }) => ts === edit.ts)
    return before && blockText(before.blocks) === blockText(edit.blocks)
  })
  const once = edits.filter(edit => !repeated.includes(edit))
  return { early: once.filter(isEarly), final: once.filter(edit => !isEarly(edit)), repeated }
}

/**
 * Returns the last log entry about failed work of this submission, for this reason. Other work of the submission may
 * fail too, because the first success after an outage starts all waiting work.
 */
export function failureOf({ server }: Deployment, id: string, reason: string): Block | undefined {
  const lines = server.output().split('\n').filter(line => line.includes('"work.failed"')).map(line => (
    JSON.parse(line) as Block
  ))
  return lines.findLast(({ submission, reason: said }) => submission === id && String(said).startsWith(reason))
}

/**
 * Makes the service cache the reviewers' names. Otherwise the first click waits up to 800 ms for Slack to return the
 * name, and falls back to the account name.
 */
export async function introduce({ server, slack }: Deployment): Promise<void> {
  await command(server.url, slack, 'help')
}

/** Clicks a button of the card, and resolves with the answer once all effects are done. */
export async function click(
  { slack, server }: Deployment, card: SlackMessage, action: string, value: string | undefined,
): Promise<Response> {
  const response = await interact(server.url, blockActions(
    card, action, value, slack.reviewer, action === 'edit' ? await slack.trigger() : undefined,
  ))
  await server.drain()
  return response
}

/** Clicks Edit & Forward, retries if refused, and resolves with the view that was opened. */
export async function openEdit(deployment: Deployment, card: SlackMessage, id: string): Promise<Block> {
  const opened = () => deployment.slack.calls('views.open')
  const before = opened().length
  await until('the edit form', async () => {
    await click(deployment, card, 'edit', id)
    return opened().length > before
  })
  return opened().at(-1)!.view as Block
}

/** Submits the edit form; resolves with the JSON of the answer once all effects are done. */
export async function submitEdit(
  { slack, server }: Deployment, view: Block, values: Record<string, string | null>,
): Promise<Block> {
  const response = await interact(server.url, viewSubmission(view, values, slack.reviewer))
  await server.drain()
  return await response.json() as Block
}
