import { WhatsAppAdapter, WhatsAppApiError, type WhatsAppRawMessage } from '@chat-adapter/whatsapp'
import type { AdapterPostableMessage, Logger, RawMessage, WebhookOptions } from 'chat'
import { sameSecret } from '../../../shared/same-secret'
import { withRetryAfter } from '../shared/patience'
import { speechIn } from '../shared/speech'
import { messageOf, updateOf } from './cards'
import { withoutMarkdown } from './escape'
import { whatsAppRefusal } from './refusals'

export interface WhatsAppSettings {
  accessToken: string
  appSecret: string
  verifyToken: string
  /** Of the bot. */
  phoneNumberId: string
  /** The reviewer who gets the default form's cards; undefined where WhatsApp has none. */
  chatId?: string
  /** Everybody who gets cards, that reviewer too. */
  chatIds: readonly string[]
  apiUrl?: string
}

/** Meta's answer to a message: the number as it was sent, and as WhatsApp has it, which names senders so. */
interface Accepted {
  contacts?: { input?: unknown, wa_id?: unknown }[]
}

interface Status {
  id?: string
  recipient_id?: string
  recipient_user_id?: string
  recipient_parent_user_id?: string
  status?: string
  errors?: { code?: unknown }[]
}

/** What became of messages that Meta took. */
interface Statuses {
  entry?: { changes?: { value?: {
    metadata?: { phone_number_id?: string }
    statuses?: Status[]
  } }[] }[]
}

type Sent = RawMessage<WhatsAppRawMessage>

/** WhatsApp through the SDK, with cards that it renders for us, and edits that are said. */
export class FormWhatsAppAdapter extends WhatsAppAdapter {
  private readonly expected: string
  private readonly chatId: string | undefined
  private readonly chatIds: readonly string[]
  /** The reviewer's number as WhatsApp has it, when it is another than they dial. */
  private renamed: string | undefined

  constructor({ chatId, chatIds, ...settings }: WhatsAppSettings, logger: Logger) {
    super({ ...settings, logger, userName: 'form-bot' })
    this.chatId = chatId
    this.chatIds = chatIds
    this.expected = settings.verifyToken
  }

  /** A chat is of one person. */
  async isMember(channelId: string, userId: string): Promise<boolean> {
    return channelId === this.channelOf(userId)
  }

  /** Why presses have no effect, as far as that is known; cards arrive all the same. */
  problem(): string | null {
    return this.renamed ? `WhatsApp calls this number ${this.renamed}: set WHATSAPP_CHAT_ID to it` : null
  }

  /** WhatsApp takes messages that it cannot deliver, and says so later; nobody else would. */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const copy = request.clone()
    const response = await super.handleWebhook(request, options)
    if (request.method === 'POST' && response.ok) await this.reportUndelivered(await copy.json() as Statuses, options)
    return response
  }

  /** Anybody may ask with GET; the SDK compares the token in a time that tells how much of it is right. */
  protected override handleVerificationChallenge(request: Request): Response {
    const given = new URL(request.url).searchParams.get('hub.verify_token') ?? ''
    if (sameSecret(given, this.expected)) return super.handleVerificationChallenge(request)
    this.logger.warn('The webhook was asked for with another WHATSAPP_VERIFY_TOKEN.')
    return new Response('Forbidden', { status: 403 })
  }

  override postMessage(threadId: string, message: AdapterPostableMessage): Promise<Sent> {
    return withRetryAfter(() => super.postMessage(threadId, message))
  }

  /** For cards, which are outstanding work until they are there. */
  postAtOnce(threadId: string, message: AdapterPostableMessage): Promise<Sent> {
    return super.postMessage(threadId, message)
  }

  /** Nothing that was sent can be changed: what is new is said below it. */
  override async editMessage(threadId: string, messageId: string, message: AdapterPostableMessage): Promise<Sent> {
    const speech = speechIn(message)
    const update = speech ? updateOf(speech.card) : message
    return update ? this.reply(threadId, messageId, update) : { id: messageId, threadId, raw: {} as WhatsAppRawMessage }
  }

  protected override async send(threadId: string, message: AdapterPostableMessage, replyId?: string): Promise<Sent> {
    const speech = speechIn(message)
    const sent = speech ? messageOf(speech.card) : { raw: withoutMarkdown(this.renderPostableText(message)) }
    return super.send(threadId, sent, replyId)
  }

  /**
   * Knows senders by the id that the configuration has, whichever of theirs a message comes with: people with usernames
   * may hide their number. The SDK takes an empty id for one, and the contact of somebody else where none fits.
   */
  protected override async resolve(...[inbound, contact, number]: Parameters<WhatsAppAdapter['resolve']>) {
    const sender = withoutEmpty(inbound)
    const { from, from_user_id: userId } = sender
    const known = contact && withoutEmpty(contact)
    const isTheirs = (!from && !userId) || (from && known?.wa_id === from) || (userId && known?.user_id === userId)
    const identity = await super.resolve(sender, isTheirs ? known : undefined, number)
    if (!identity) return null
    const ids = idsOf(identity)
    Object.assign(inbound, { ids })
    return { ...identity, userId: this.chatIds.find(id => ids.includes(id)) ?? identity.userId }
  }

  /** A press is a message of its own: it is about the card that it answers, and its id tells it from the next. */
  protected override handleInteractiveReply(...args: Parameters<WhatsAppAdapter['handleInteractiveReply']>): void {
    const [inbound, ...rest] = args
    const press = { ...inbound, id: inbound.context?.id ?? inbound.id, press: inbound.id }
    super.handleInteractiveReply(press, ...rest)
  }

  /** The SDK's errors keep the kind of a refusal, of which WhatsApp says more. */
  protected override async graphApiRequest<T = unknown>(path: string, body: unknown): Promise<T> {
    const answer = await super.graphApiRequest<T>(path, body).catch((error: Error) => {
      if (error instanceof WhatsAppApiError) Object.assign(error, { refusal: whatsAppRefusal(error) })
      throw error
    })
    this.noteName(answer as Accepted | null)
    return answer
  }

  /** Numbers of Brazil, Mexico and Argentina are dialled with a digit that their names have not, or without one. */
  private noteName(answer: Accepted | null): void {
    const { input, wa_id: name } = answer?.contacts?.[0] ?? {}
    if (input !== this.chatId || typeof name !== 'string' || !/^\d{6,15}$/.test(name)) return
    const isNew = name !== input && name !== this.renamed
    this.renamed = name === input ? undefined : name
    if (isNew) this.logger.warn(`Presses have no effect. ${this.problem()}.`)
  }

  private channelOf(userId: string): string {
    return `${this.phoneNumberId}:${userId}`
  }

  private async reportUndelivered({ entry = [] }: Statuses, options?: WebhookOptions): Promise<void> {
    const values = entry.flatMap(({ changes = [] }) => changes.map(({ value }) => value ?? {}))
    for (const { metadata, statuses = [] } of values) {
      for (const { id = '', status, errors = [], ...recipient } of statuses) {
        if (status !== 'failed') continue
        const phoneNumberId = metadata?.phone_number_id ?? ''
        const { userId: userWaId = '' } = await this.resolve({
          id, type: 'text', timestamp: '', from: recipient.recipient_id, from_user_id: recipient.recipient_user_id,
          from_parent_user_id: recipient.recipient_parent_user_id,
        }, undefined, phoneNumberId) ?? {}
        const { reason } = whatsAppRefusal({ status: 500, errorCode: Number(errors[0]?.code) || undefined })
        this.logger.warn(`A message was not delivered. ${reason}`)
        const threadId = this.encodeThreadId({ phoneNumberId, userWaId })
        void this.chat?.processMessageDeleted({
          adapter: this, channelId: threadId, threadId, messageId: id, raw: { undelivered: reason },
        }, options).catch(() => { /* The SDK has logged it. */ })
      }
    }
  }
}

/** All ids of somebody, the SDK's own first. */
function idsOf({ userId, phone, bsuid, parent }: { userId: string, phone?: string, bsuid?: string, parent?: string }) {
  return [...new Set([userId, phone, bsuid, parent])].filter(id => id !== undefined)
}

/** The object without texts that say nothing. */
function withoutEmpty<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '')) as T
}
