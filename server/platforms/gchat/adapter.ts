import { GoogleChatAdapter } from '@chat-adapter/gchat'
import type { AdapterPostableMessage, CardElement, Logger, Message, RawMessage, WebhookOptions } from 'chat'
import type { IsCardOf } from '../platform'
import { unwrap } from '../shared/answers'
import { withRetryAfter } from '../shared/patience'
import { withWholeQuotes } from '../shared/text'
import { speechIn, type PostableSpeech } from '../shared/speech'
import { googleCard } from './cards'
import type { Outcome } from '../../ports/delivery'
import { callGoogle } from './client'
import { mentionedApp, mentionedApps, modernEvent } from './events'

export interface GoogleChatSettings {
  /** Key of the Chat app's service account */
  credentials: { client_email: string, private_key: string }
  /** Number of the Chat app's Google Cloud project */
  projectNumber: string
  /** Space of the default form's cards, `spaces/…`; undefined if Google Chat has none */
  space?: string
  /** URL of our webhook, to which Google sends clicks; also the audience of Google's tokens */
  endpointUrl: string
  /**
   * Id of the app's user, `users/…`, which distinguishes its messages from other bots'; learned from the first mention
   */
  botUserId?: string
  /** Base URL of the Chat API with a trailing slash; Google's own when absent. */
  apiUrl?: string
}

/** Google Chat through the SDK, for both kinds of Chat apps. */
export class FormGoogleChatAdapter extends GoogleChatAdapter {
  private readonly settings: GoogleChatSettings
  /** The app's own user, `users/…`, as named in Google's answer to a post */
  private ownName?: string
  /** True once the store has the name, for other and later processes */
  private isNameStored = false

  /** @param isCardOf true if a message is on record as a card of the submission */
  constructor(settings: GoogleChatSettings, logger: Logger, private readonly isCardOf: IsCardOf) {
    const { credentials, projectNumber, endpointUrl, botUserId, apiUrl } = settings
    super({
      credentials, endpointUrl, botUserId, apiUrl, logger: withoutNoise(logger), userName: 'form-bot',
      disableSignatureVerification: false,
      googleChatProjectNumber: projectNumber,
      // Sender of a Workspace add-on's tokens
      // (https://developers.google.com/workspace/add-ons/guides/alternate-runtimes#validate_requests_from_google).
      workspaceAddOnServiceAccountEmail: `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`,
    })
    this.settings = settings
    withWholeQuotes(this.formatConverter)
  }

  /** Signs in as the service account. */
  async identify(): Promise<Outcome<string>> {
    const outcome = await callGoogle(async () => {
      await (this.authClient as { getAccessToken: () => Promise<unknown> }).getAccessToken()
      return { status: 200, headers: {}, data: {} }
    })
    return outcome.ok ? { ok: true, value: this.settings.credentials.client_email } : outcome
  }

  /** Posts a card. If Google has seen the `requestId` before, it returns the message of the first post. */
  async createCard(
    parent: string, { card, fallbackText }: Pick<PostableSpeech, 'card' | 'fallbackText'>,
    { threadName, viewer, ...params }: { threadName?: string, viewer?: string, requestId?: string } = {},
  ) {
    const replyOptions = threadName ? { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' } : {}
    const thread = threadName ? { thread: { name: threadName } } : {}
    const privateViewer = viewer ? { privateMessageViewer: { name: viewer } } : {}
    const requestBody = { fallbackText, ...this.contentOf(card), ...thread, ...privateViewer }
    const outcome = await callGoogle(
      options => this.chatApi.spaces.messages.create({ parent, ...replyOptions, ...params, requestBody }, options),
    )
    if (outcome.ok) await this.storeOwnName(outcome.value.sender?.name)
    return outcome
  }

  updateCard(name: string, card: CardElement) {
    const update = { name, updateMask: 'cardsV2', requestBody: this.contentOf(card) }
    return callGoogle(options => this.chatApi.spaces.messages.patch(update, options))
  }

  /** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.members/get */
  memberOf(space: string, userId: string) {
    const name = `${space}/members/${userId.replace(/^users\//, '')}`
    return callGoogle(options => this.chatApi.spaces.members.get({ name }, options))
  }

  /** Verifies the token, then converts the event: the SDK parses before it verifies, and knows only add-on events. */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    if (!await this['verifyDirectWebhookToken'](request)) return new Response('Unauthorized', { status: 401 })
    return super.handleWebhook(
      new Request(request.url, { method: 'POST', headers: request.headers, body: modernEvent(await request.text()) }),
      options,
    )
  }

  /** Posts cards as our rooms do: the SDK cuts values and reads texts of users and forms as markdown. */
  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    if (!speech) return withRetryAfter(() => super.postMessage(threadId, message))
    const { spaceName, threadName } = this.decodeThreadId(threadId)
    const { name } = await withRetryAfter(async () => unwrap(await this.createCard(spaceName, speech, { threadName })))
    return { id: String(name), threadId, raw: this.contentOf(speech.card) }
  }

  /** Sends cards itself, because Google Chat would read markup in the SDK's private messages. */
  override async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const speech = speechIn(message)
    if (!speech) return super.postEphemeral(threadId, userId, message)
    const { spaceName, threadName } = this.decodeThreadId(threadId)
    const raw = unwrap(await this.createCard(spaceName, speech, { threadName, viewer: userId }))
    return { id: String(raw.name), threadId, usedFallback: false, raw }
  }

  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    if (!speech) return withRetryAfter(() => super.editMessage(threadId, messageId, message))
    await withRetryAfter(async () => unwrap(await this.updateCard(messageId, speech.card)))
    return { id: messageId, threadId, raw: this.contentOf(speech.card) }
  }

  /**
   * Learns the app's id, by which the SDK recognises a mention, once the event is verified and before it is read. Does
   * so only in our own space: anybody can create an app and make Google sign its events for our webhook's address.
   */
  protected override handleMessageEvent(
    ...[event, options]: Parameters<GoogleChatAdapter['handleMessageEvent']>
  ): void {
    const payload = event.chat?.messagePayload
    if (payload?.space?.name === this.settings.space) this.botUserId ??= mentionedApp(payload) ?? undefined
    super.handleMessageEvent(event, options)
  }

  /** Ignores buttons of other apps: an app in our space may point its buttons at our webhook and mislabel them. */
  protected override handleCardClick(...[event, options]: Parameters<GoogleChatAdapter['handleCardClick']>): void {
    const handling = this.isOurCard(event).then((isOurs) => {
      if (isOurs) return super.handleCardClick(event, options)
      const sender = event.chat?.buttonClickedPayload?.message?.sender?.name
      this.logger.warn('A click on the card of another app has no effect.', { sender })
    })
    options?.waitUntil?.(handling)
  }

  /** True for clicks on our cards. Until the store knows the name under which we post, only recorded cards count. */
  private async isOurCard(event: Parameters<GoogleChatAdapter['handleCardClick']>[0]): Promise<boolean> {
    const { sender, name } = event.chat?.buttonClickedPayload?.message ?? {}
    const ownName = await this.findOwnName()
    if (ownName !== undefined) return sender?.name === ownName
    const submissionId = event.commonEventObject?.parameters?.value
    return submissionId !== undefined && name !== undefined && this.isCardOf(submissionId, name)
  }

  private async findOwnName(): Promise<string | undefined> {
    if (!this.isNameStored) await this.storeOwnName(this.ownName)
    this.ownName ??= await this.chat?.getState().get<string>(this.nameKey()).catch(() => null) ?? undefined
    return this.ownName ?? this.settings.botUserId
  }

  /** Stores the name under which we post. After a failure, the next card or click tries again. */
  private async storeOwnName(name: string | null | undefined): Promise<void> {
    if (!name || (this.isNameStored && name === this.ownName)) return
    this.ownName = this.botUserId = name
    this.isNameStored = await this.chat?.getState().set(this.nameKey(), name).then(() => true, () => false) ?? false
  }

  private nameKey(): string {
    return `gchat:self:${this.settings.projectNumber}`
  }

  /**
   * Counts any mention of an app as ours until our id is known: one of these apps is ours, but we can't tell which.
   */
  protected override parseGoogleChatMessage(
    ...[event, threadId]: Parameters<GoogleChatAdapter['parseGoogleChatMessage']>
  ): Message<unknown> {
    const message = super.parseGoogleChatMessage(event, threadId)
    if (!this.botUserId && mentionedApps(event.chat?.messagePayload).length > 0) message.isMention = true
    return message
  }

  private contentOf(card: CardElement) {
    return { cardsV2: [googleCard(card, this.settings.endpointUrl)] }
  }
}

/**
 * Dropped log messages of the SDK: advice to set the id that is learned here, and a repetition about an invalid token
 */
const NOISE = /botUserId is not configured|^JWT (?:verification|payload)/

function withoutNoise(logger: Logger): Logger {
  return { ...logger, warn: (message, ...args) => {
    if (!NOISE.test(message)) logger.warn(message, ...args)
  } }
}
