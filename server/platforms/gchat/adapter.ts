import { GoogleChatAdapter } from '@chat-adapter/gchat'
import type {
  AdapterPostableMessage, CardElement, Logger, Message, RawMessage, WebhookOptions,
} from 'chat'
import { valueOf } from '../shared/answers'
import { patiently } from '../shared/patience'
import { withWholeQuotes } from '../shared/quotes'
import { speechIn, type PostableSpeech } from '../shared/speech'
import { googleCard } from './cards'
import { callGoogle } from './client'
import { mentionedApp, mentionedApps, modernEvent } from './events'

export interface GoogleChatSettings {
  /** Key of the service account that the Chat app acts as. */
  credentials: { client_email: string, private_key: string }
  /** Of the Google Cloud project of the Chat app. */
  projectNumber: string
  /** `spaces/…` of the cards of the default form; undefined where Google Chat has none. */
  space?: string
  /** Our webhook: where Google sends clicks, and the audience of its tokens. */
  endpointUrl: string
  /** `users/…` of the app, which tells its messages from other bots'; learned from the first mention. */
  botUserId?: string
  /** Base URL of the Chat API with a trailing slash; Google's own when absent. */
  apiUrl?: string
}

/** The app itself, `users/…`, as Google names it when it posts; all adapters of a process have one. */
export interface Self {
  name?: string
  /** Whether other processes, and later ones, can know it. */
  kept?: true
}

/** Google Chat through the SDK, for both kinds of Chat apps. */
export class FormGoogleChatAdapter extends GoogleChatAdapter {
  private readonly settings: GoogleChatSettings

  constructor(settings: GoogleChatSettings, logger: Logger, private readonly self: Self = {}) {
    const { credentials, projectNumber, endpointUrl, botUserId, apiUrl } = settings
    super({
      credentials, endpointUrl, botUserId, apiUrl, logger: withoutNoise(logger), userName: 'form-bot',
      disableSignatureVerification: false,
      googleChatProjectNumber: projectNumber,
      // Whose tokens a Workspace add-on comes with
      // (https://developers.google.com/workspace/add-ons/guides/alternate-runtimes#validate_requests_from_google).
      workspaceAddOnServiceAccountEmail: `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`,
    })
    this.settings = settings
    withWholeQuotes(this.formatConverter)
  }

  /** Posts a card. With a `requestId` that it has seen, Google hands out the message of the first post. */
  async createCard(
    parent: string, { card, fallbackText }: Pick<PostableSpeech, 'card' | 'fallbackText'>,
    { threadName, viewer, ...params }: { threadName?: string, viewer?: string, requestId?: string } = {},
  ) {
    const below = threadName ? { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' } : {}
    const thread = threadName ? { thread: { name: threadName } } : {}
    const whisper = viewer ? { privateMessageViewer: { name: viewer } } : {}
    const requestBody = { fallbackText, ...this.contentOf(card), ...thread, ...whisper }
    const outcome = await callGoogle(
      options => this.chatApi.spaces.messages.create({ parent, ...below, ...params, requestBody }, options),
    )
    if (outcome.ok) this.self.name = outcome.value.sender?.name ?? this.self.name
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

  /** The SDK reads the events of Workspace add-ons only. What it verifies is in the headers. */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    return super.handleWebhook(
      new Request(request.url, { method: 'POST', headers: request.headers, body: modernEvent(await request.text()) }),
      options,
    )
  }

  /** Cards go out as our rooms send them: the SDK cuts values and takes what users and forms say for markdown. */
  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    if (!speech) return patiently(() => super.postMessage(threadId, message))
    const { spaceName, threadName } = this.decodeThreadId(threadId)
    const { name } = await patiently(async () => valueOf(await this.createCard(spaceName, speech, { threadName })))
    return { id: String(name), threadId, raw: this.contentOf(speech.card) }
  }

  /** In what the SDK sends to one person, Google Chat would read markup. */
  override async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const speech = speechIn(message)
    if (!speech) return super.postEphemeral(threadId, userId, message)
    const { spaceName, threadName } = this.decodeThreadId(threadId)
    const raw = valueOf(await this.createCard(spaceName, speech, { threadName, viewer: userId }))
    return { id: String(raw.name), threadId, usedFallback: false, raw }
  }

  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    if (!speech) return patiently(() => super.editMessage(threadId, messageId, message))
    await patiently(async () => valueOf(await this.updateCard(messageId, speech.card)))
    return { id: messageId, threadId, raw: this.contentOf(speech.card) }
  }

  /**
   * The SDK recognises a mention by the id of the app, which is learned here: after the event was verified, before it
   * is read. Only in our own space: anybody may make an app whose events Google signs for the address of our webhook.
   */
  protected override handleMessageEvent(
    ...[event, options]: Parameters<GoogleChatAdapter['handleMessageEvent']>
  ): void {
    const payload = event.chat?.messagePayload
    if (payload?.space?.name === this.settings.space) this.botUserId ??= mentionedApp(payload) ?? undefined
    super.handleMessageEvent(event, options)
  }

  /**
   * Another app may have our address, and a card in our space whose buttons are called like ours: what somebody presses
   * there they never read here.
   */
  protected override handleCardClick(...[event, options]: Parameters<GoogleChatAdapter['handleCardClick']>): void {
    const sender = event.chat?.buttonClickedPayload?.message?.sender?.name
    const handled = this.ownName().then((own) => {
      if (own === undefined || sender === own) return super.handleCardClick(event, options)
      this.logger.warn('A click on the card of another app has no effect.', { sender })
    })
    options?.waitUntil?.(handled)
  }

  /** Undefined until a first card was posted, by whichever process. */
  private async ownName(): Promise<string | undefined> {
    const [state, key] = [this.chat?.getState(), `gchat:self:${this.settings.projectNumber}`]
    if (!this.self.name) this.self.name = await state?.get<string>(key).catch(() => null) ?? this.settings.botUserId
    else if (!this.self.kept && state) {
      this.self.kept = true
      await state.set(key, this.self.name).catch(() => { this.self.kept = undefined })
    }
    return this.self.name
  }

  /** Of several apps that are mentioned at once none can be told to be this one; but this one is among them. */
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

/** The SDK advises to set the id that is learned here, and tells twice of a token that does not hold. */
const NOISE = /botUserId is not configured|^JWT (?:verification|payload)/

function withoutNoise(logger: Logger): Logger {
  return { ...logger, warn: (message, ...args) => {
    if (!NOISE.test(message)) logger.warn(message, ...args)
  } }
}
