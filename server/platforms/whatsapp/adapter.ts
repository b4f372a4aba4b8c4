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
  /** Id of the bot's number. */
  phoneNumberId: string
  /** The reviewer who gets the default form's cards; undefined if WhatsApp has none. */
  chatId?: string
  /** Everybody who gets cards, including that reviewer. */
  chatIds: readonly string[]
  apiUrl?: string
}

/**
 * Meta's answer to a message: the number as we sent it, and the number that WhatsApp uses for that person as a sender.
 */
interface SendAnswer {
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

/** Delivery statuses of messages that Meta accepted. */
interface Statuses {
  entry?: { changes?: { value?: {
    metadata?: { phone_number_id?: string }
    statuses?: Status[]
  } }[] }[]
}

type SentMessage = RawMessage<WhatsAppRawMessage>

/** WhatsApp through the SDK, with cards rendered for it, and edits sent as new messages. */
export class FormWhatsAppAdapter extends WhatsAppAdapter {
  private readonly expectedToken: string
  private readonly chatId: string | undefined
  private readonly chatIds: readonly string[]
  /** The reviewer's number as WhatsApp has it, if it differs from the dialled one. */
  private actualNumber: string | undefined

  constructor({ chatId, chatIds, ...settings }: WhatsAppSettings, logger: Logger) {
    super({ ...settings, logger, userName: 'form-bot' })
    this.chatId = chatId
    this.chatIds = chatIds
    this.expectedToken = settings.verifyToken
  }

  /** True only for the chat's person: a chat has one member. */
  async isMember(channelId: string, userId: string): Promise<boolean> {
    return channelId === this.channelOf(userId)
  }

  /** Reason why clicks have no effect, if known; cards still arrive. */
  problem(): string | null {
    return this.actualNumber ? `WhatsApp calls this number ${this.actualNumber}: set WHATSAPP_CHAT_ID to it` : null
  }

  /** Reports undelivered messages: WhatsApp accepts them first, and nothing else reports the failure. */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const copy = request.clone()
    const response = await super.handleWebhook(request, options)
    if (request.method === 'POST' && response.ok) await this.reportUndelivered(await copy.json() as Statuses, options)
    return response
  }

  /**
   * Compares in constant time: anybody may send this GET, and the SDK's timing reveals how much of a token is right.
   */
  protected override handleVerificationChallenge(request: Request): Response {
    const givenToken = new URL(request.url).searchParams.get('hub.verify_token') ?? ''
    if (sameSecret(givenToken, this.expectedToken)) return super.handleVerificationChallenge(request)
    this.logger.warn('Meta verified the webhook with another WHATSAPP_VERIFY_TOKEN.')
    return new Response('Forbidden', { status: 403 })
  }

  override postMessage(threadId: string, message: AdapterPostableMessage): Promise<SentMessage> {
    return withRetryAfter(() => super.postMessage(threadId, message))
  }

  /** Posts a card without waiting for a pause: the outbox retries it. */
  postAtOnce(threadId: string, message: AdapterPostableMessage): Promise<SentMessage> {
    return super.postMessage(threadId, message)
  }

  /** Sends changes as a reply: no sent message can be changed. */
  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<SentMessage> {
    const speech = speechIn(message)
    const update = speech ? updateOf(speech.card) : message
    return update ? this.reply(threadId, messageId, update) : { id: messageId, threadId, raw: {} as WhatsAppRawMessage }
  }

  protected override async send(
    threadId: string, message: AdapterPostableMessage, replyId?: string,
  ): Promise<SentMessage> {
    const speech = speechIn(message)
    const content = speech ? messageOf(speech.card) : { raw: withoutMarkdown(this.renderPostableText(message)) }
    return super.send(threadId, content, replyId)
  }

  /**
   * Identifies senders by their configured id, whichever of their ids a message carries: people with usernames may hide
   * their number. The SDK accepts an empty id, and another person's contact if none matches.
   */
  protected override async resolve(...[inbound, givenContact, number]: Parameters<WhatsAppAdapter['resolve']>) {
    const sender = omitEmpty(inbound)
    const { from, from_user_id: userId } = sender
    const contact = givenContact && omitEmpty(givenContact)
    const isTheirs = (!from && !userId) || (from && contact?.wa_id === from) || (userId && contact?.user_id === userId)
    const identity = await super.resolve(sender, isTheirs ? contact : undefined, number)
    if (!identity) return null
    const ids = idsOf(identity)
    Object.assign(inbound, { ids })
    return { ...identity, userId: this.chatIds.find(id => ids.includes(id)) ?? identity.userId }
  }

  /** Gives a click the id of its card; the click's own id is kept as `press`, to tell clicks apart. */
  protected override handleInteractiveReply(...args: Parameters<WhatsAppAdapter['handleInteractiveReply']>): void {
    const [inbound, ...rest] = args
    const click = { ...inbound, id: inbound.context?.id ?? inbound.id, press: inbound.id }
    super.handleInteractiveReply(click, ...rest)
  }

  /** Adds WhatsApp's details to the SDK's errors, which keep only the kind of a refusal. */
  protected override async graphApiRequest<T = unknown>(path: string, body: unknown): Promise<T> {
    const answer = await super.graphApiRequest<T>(path, body).catch((error: Error) => {
      if (error instanceof WhatsAppApiError) Object.assign(error, { refusal: whatsAppRefusal(error) })
      throw error
    })
    this.noteName(answer as SendAnswer | null)
    return answer
  }

  /**
   * Notes the number under which WhatsApp knows the reviewer. In Brazil, Mexico and Argentina it has a digit more or
   * less than the dialled one.
   */
  private noteName(answer: SendAnswer | null): void {
    const { input, wa_id: name } = answer?.contacts?.[0] ?? {}
    if (input !== this.chatId || typeof name !== 'string' || !/^\d{6,15}$/.test(name)) return
    const isNew = name !== input && name !== this.actualNumber
    this.actualNumber = name === input ? undefined : name
    if (isNew) this.logger.warn(`Clicks have no effect. ${this.problem()}.`)
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

/** All ids of a person, the SDK's own first. */
function idsOf({ userId, phone, bsuid, parent }: { userId: string, phone?: string, bsuid?: string, parent?: string }) {
  return [...new Set([userId, phone, bsuid, parent])].filter(id => id !== undefined)
}

/** Removes empty texts from the object. */
function omitEmpty<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '')) as T
}
