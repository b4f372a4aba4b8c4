import { GoogleChatAdapter } from '@chat-adapter/gchat'
import type { AdapterPostableMessage, Logger, Message, RawMessage, WebhookOptions } from 'chat'
import type { Outcome } from '../../ports/delivery'
import { speechIn } from '../shared/speech'
import { googleCard } from './cards'
import { callGoogle, plainCall } from './client'
import { mentionedApp, mentionedApps, modernEvent } from './events'

export interface GoogleChatSettings {
  /** Key of the service account that the Chat app acts as. */
  credentials: { client_email: string, private_key: string }
  /** Of the Google Cloud project of the Chat app. */
  projectNumber: string
  /** `spaces/…` */
  space: string
  /** Our webhook: where Google sends clicks, and the audience of its tokens. */
  endpointUrl: string
  /**
   * `users/…` of the app, which tells its own messages from other bots'; learned from the first mention when absent.
   */
  botUserId?: string
  /** Base URL of the Chat API with a trailing slash; Google's own when absent. */
  apiUrl?: string
}

/** Bound of a call that posts or edits a card in a conversation, ms. */
const CARD_TIMEOUT_MS = 10_000

/** Google Chat through the SDK, for both kinds of Chat apps. */
export class FormGoogleChatAdapter extends GoogleChatAdapter {
  private readonly cardEndpoint: string
  private readonly space: string

  constructor(
    { credentials, projectNumber, space, endpointUrl, botUserId, apiUrl }: GoogleChatSettings, logger: Logger,
  ) {
    super({
      credentials, endpointUrl, botUserId, apiUrl, logger: withoutNoise(logger), userName: 'form-bot',
      disableSignatureVerification: false,
      googleChatProjectNumber: projectNumber,
      // Whose tokens a Workspace add-on comes with
      // (https://developers.google.com/workspace/add-ons/guides/alternate-runtimes#validate_requests_from_google).
      workspaceAddOnServiceAccountEmail: `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`,
    })
    this.cardEndpoint = endpointUrl
    this.space = space
  }

  /** The members of spaces, signed in as the Chat app. */
  get members() {
    return this.chatApi.spaces.members
  }

  /** The API, signed in as the Chat app. */
  get messages() {
    return this.chatApi.spaces.messages
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
    if (!speech) return super.postMessage(threadId, message)
    const { spaceName, threadName } = this.decodeThreadId(threadId)
    const reply = threadName ? { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' } : {}
    const requestBody = {
      fallbackText: speech.fallbackText, cardsV2: [googleCard(speech.card, this.cardEndpoint)],
      ...threadName ? { thread: { name: threadName } } : {},
    }
    const { name } = posted(await callGoogle(
      () => this.messages.create({ parent: spaceName, ...reply, requestBody }, plainCall(CARD_TIMEOUT_MS)),
      CARD_TIMEOUT_MS,
    ))
    return { id: String(name), threadId, raw: requestBody }
  }

  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    if (!speech) return super.editMessage(threadId, messageId, message)
    const update = {
      name: messageId, updateMask: 'cardsV2', requestBody: { cardsV2: [googleCard(speech.card, this.cardEndpoint)] },
    }
    posted(await callGoogle(() => this.messages.patch(update, plainCall(CARD_TIMEOUT_MS)), CARD_TIMEOUT_MS))
    return { id: messageId, threadId, raw: update.requestBody }
  }

  /**
   * The SDK recognises a mention by the id of the app, which is learned here: after the event was verified, before it
   * is read. Only in our own space: anybody may make an app whose events Google signs for the address of our webhook.
   */
  protected override handleMessageEvent(
    ...[event, options]: Parameters<GoogleChatAdapter['handleMessageEvent']>
  ): void {
    const payload = event.chat?.messagePayload
    if (payload?.space?.name === this.space) this.botUserId ??= mentionedApp(payload) ?? undefined
    super.handleMessageEvent(event, options)
  }

  /** Of several apps that are mentioned at once none can be told to be this one; but this one is among them. */
  protected override parseGoogleChatMessage(
    ...[event, threadId]: Parameters<GoogleChatAdapter['parseGoogleChatMessage']>
  ): Message<unknown> {
    const message = super.parseGoogleChatMessage(event, threadId)
    if (!this.botUserId && mentionedApps(event.chat?.messagePayload).length > 0) message.isMention = true
    return message
  }
}

function posted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.reason)
  return outcome.value
}

/**
 * The SDK advises to set the id that is learned here, and tells of each of the two ways to check a token that fails;
 * the second tells of both.
 */
const NOISE = /botUserId is not configured|^JWT (?:verification|payload)/

function withoutNoise(logger: Logger): Logger {
  return { ...logger, warn: (message, ...args) => {
    if (!NOISE.test(message)) logger.warn(message, ...args)
  } }
}
