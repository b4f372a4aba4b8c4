import { createHmac } from 'node:crypto'
import type { Json } from './adaptive-card'
import { startProxy, type Recorded } from './proxy'
import { repointed } from './preloaded'
import { post } from './webhook'

const TOKEN = 'EAAG-whatsapp-access-token'
const SECRET = 'ab'.repeat(16)
const VERIFY_TOKEN = 'whatsapp-verify-token'
const NUMBER = '106540352242922'

/** The reviewer, Ada Lovelace: her number, and the id that may replace it */
const CHAT = '4915112345678'
export const USER_ID = 'DE.13491208655302741918'

/** Meta's storage of the users' media, and the one picture in it */
const MEDIA_HOST = 'lookaside.fbsbx.com'
const MEDIA_PATH = '/whatsapp_business/attachments/?mid='
const PICTURE_ID = '1037543291543636'
export const PICTURE = Buffer.from('a picture of a form')

export interface WhatsAppMessage {
  id: string
  /** Header and body, as sent */
  text: string
  buttons: { id: string, title: string }[]
  /** The quoted message */
  replyTo?: string
}

interface Press {
  /** A key other than the app secret; null for no signature */
  secret?: string | null
  /** Number of the person who presses; Ada Lovelace's by default. Empty if a username hides it. */
  from?: string
  /** Other id of the person, which Meta sends with the number or instead of it */
  userId?: string
  /** Contact in Meta's payload; the person who presses by default */
  contact?: { wa_id: string, user_id?: string }
  /** Receiving number of the app; the bot's by default */
  number?: string
  /** Meta's id of the press; a new one each time by default */
  id?: string
}

export type WhatsApp = Awaited<ReturnType<typeof startWhatsApp>>

/**
 * Starts a double of the WhatsApp Cloud API with all that a bot in one person's chat needs.
 *
 * @param dialled number configured for the reviewer. WhatsApp knows it too, but webhooks carry the usual number.
 */
export async function startWhatsApp({ dialled = CHAT }: { dialled?: string } = {}) {
  const messages: WhatsAppMessage[] = []
  let presses = 0

  const proxy = await startProxy(({ method, path, headers, body }: Recorded) => {
    if (headers.authorization !== `Bearer ${TOKEN}`) return refuse(401, 190, 'Invalid OAuth access token')
    if (path === `/v25.0/${PICTURE_ID}`) {
      return Response.json({ id: PICTURE_ID, url: `https://${MEDIA_HOST}${MEDIA_PATH}${PICTURE_ID}` })
    }
    if (path === `/v25.0/${NUMBER}?fields=verified_name`) {
      return Response.json({ verified_name: 'Form bot', id: NUMBER })
    }
    if (path === MEDIA_PATH + PICTURE_ID) return new Response(PICTURE, { headers: { 'content-type': 'image/jpeg' } })
    const isOurs = method === 'POST' && path === `/v25.0/${NUMBER}/messages`
    if (!isOurs) return refuse(400, 100, 'Unsupported post request', 33)
    return take(JSON.parse(body) as Json)
  })

  function take({ messaging_product: product, to, recipient, type, text, interactive, context }: Json): Response {
    if (product !== 'whatsapp') return refuse(400, 100, 'The parameter messaging_product is required.')
    const isKnown = [CHAT, dialled].includes(to as string) || (!to && recipient === USER_ID)
    if (!isKnown) return refuse(400, 131030, 'Recipient phone number not in allowed list')
    const problem = type === 'interactive' ? problemOf(interactive as Json) : textProblem(text as Json)
    if (problem) return refuse(400, 131009, problem)
    const id = `wamid.${messages.length + 1}`
    messages.push({
      id, replyTo: context?.message_id,
      text: type === 'interactive' ? `${interactive.header?.text ?? ''}\n${interactive.body.text}` : text.body,
      buttons: (interactive?.action.buttons ?? []).map(({ reply }: Json) => reply),
    })
    return Response.json({ messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: CHAT }], messages: [{ id }] })
  }

  /** Sends a webhook: https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/payload-examples */
  function send(serverUrl: string, value: Json, { secret = SECRET, number = NUMBER }: Press = {}): Promise<Response> {
    const metadata = { display_phone_number: '15550783881', phone_number_id: number }
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }
    const entry = [{ id: '102290129340398', changes: [change] }]
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry })
    const signature = secret === null ? null : `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    return post(`${serverUrl}/api/webhooks/whatsapp`, {
      body,
      headers: { 'content-type': 'application/json', ...signature && { 'x-hub-signature-256': signature } },
    })
  }

  function hear(serverUrl: string, said: Json, press: Press = {}): Promise<Response> {
    const { from = CHAT, userId, id = `wamid.in.${++presses}` } = press
    const { contact = { wa_id: from, user_id: userId } } = press
    const message = { from, from_user_id: userId, id, timestamp: String(Math.floor(Date.now() / 1000)), ...said }
    const contacts = [{ profile: { name: 'Ada Lovelace' }, ...contact }]
    return send(serverUrl, { contacts, messages: [message] }, press)
  }

  return Object.assign(proxy, {
    env: {
      WHATSAPP_ACCESS_TOKEN: TOKEN, WHATSAPP_APP_SECRET: SECRET, WHATSAPP_VERIFY_TOKEN: VERIFY_TOKEN,
      WHATSAPP_PHONE_NUMBER_ID: NUMBER, WHATSAPP_CHAT_ID: dialled, WHATSAPP_API_URL: proxy.url,
      ...repointed({ [MEDIA_HOST]: proxy.url }),
    },
    messages: () => messages,
    /** Returns the message with the submission's buttons. */
    cardOf: (id: string) => messages.find(({ buttons }) => buttons.some(button => button.id.includes(id))),
    repliesTo: ({ id }: WhatsAppMessage) => messages.filter(({ replyTo }) => replyTo === id),
    click: (serverUrl: string, { id, buttons }: WhatsAppMessage, title: string, press?: Press) => {
      const reply = buttons.find(button => button.title === title)!
      const context = { from: '15550783881', id }
      const interactive = { type: 'button_reply', button_reply: reply }
      return hear(serverUrl, { type: 'interactive', interactive, context }, press)
    },
    write: (serverUrl: string, body: string, from?: string, userId?: string) => (
      hear(serverUrl, { type: 'text', text: { body } }, { from, userId })
    ),
    /** Sends the picture with a caption, as the reviewer. */
    sendPicture: (serverUrl: string, caption: string) => hear(
      serverUrl, { type: 'image', image: { id: PICTURE_ID, mime_type: 'image/jpeg', caption } },
    ),
    /** Sends Meta's report that an accepted message did not arrive. */
    fail: (serverUrl: string, code: number, id = 'wamid.0', recipient: Json = { recipient_id: CHAT }) => (
      send(serverUrl, { statuses: [{ id, status: 'failed', timestamp: '1', ...recipient, errors: [{ code }] }] })
    ),
  })
}

/** Returns the reason why Meta would refuse a message with buttons. */
function problemOf({ header, body, action }: Json): string | undefined {
  const replies = (action.buttons as Json[]).map(({ reply }) => reply as { id: string, title: string })
  const isShort = (value: unknown, most: number) => (
    typeof value === 'string' && value.trim() !== '' && value.length <= most
  )
  if (header && !(isShort(header.text, 60) && !/\n/.test(header.text as string))) return 'header.text'
  if (!isShort(body.text, 1024)) return 'body.text'
  if (replies.length < 1 || replies.length > 3) return 'action.buttons'
  if (!replies.every(({ id, title }) => isShort(id, 256) && id.trim() === id && isShort(title, 20))) return 'reply'
  if (new Set(replies.map(({ id }) => id)).size < replies.length) return 'Duplicated button id'
  return new Set(replies.map(({ title }) => title)).size < replies.length ? 'Duplicated button title' : undefined
}

function textProblem({ body }: Json): string | undefined {
  return typeof body === 'string' && body.trim() !== '' && body.length <= 4096 ? undefined : 'text.body'
}

function refuse(status: number, code: number, message: string, subcode?: number): Response {
  const error = { message: `(#${code}) ${message}`, type: 'OAuthException', code, error_subcode: subcode }
  return Response.json({ error }, { status })
}

/** Bold, italic or struck text; code; quotes and lists (https://faq.whatsapp.com/539178204879377) */
const MARKUP = /(?<![\p{L}\p{N}])([*_~])(?!\s)[^\n]*?(?<!\s)\1(?![\p{L}\p{N}])|`[^`]+`|^[^\S\n]*(?:>|(?:[-*]|\d+\.)[^\S\n])/gmu
const LINK = /[a-z][a-z\d+.-]*:\/\/\S+|(?<![\p{L}\p{N}@.+-])(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}(?![\p{L}\p{N}@])\S*/giu

/** Returns the markup and the links that WhatsApp would detect in a text. */
export function foundBy(text: string): string[] {
  return [...text.matchAll(MARKUP), ...text.matchAll(LINK)].map(([found]) => found)
}
