import { AsyncLocalStorage } from 'node:async_hooks'
import { SlackAdapter, type SlackAdapterConfig } from '@chat-adapter/slack'
import type { SlackApiResponse } from '@chat-adapter/slack/api'
import { escapeSlackText } from '@chat-adapter/slack/format'
import { isCardElement, type AdapterPostableMessage, type CardElement, type ChatInstance, type Logger, type Message, type ModalElement, type ModalResponse, type RawMessage, type WebhookOptions } from 'chat'
import { cardBlocks, isPlainModal, modalView } from './blocks'
import { createSlackCall, type SlackCall, type SlackSettings } from './client'

/** A trigger lives 3 s (https://docs.slack.dev/interactivity/handling-user-interaction); this leaves time to say so. */
const OPEN_TIMEOUT_MS = 2500

/** Slack waits 3 s for the answer to a form (https://docs.slack.dev/surfaces/modals). */
const SUBMIT_TIMEOUT_MS = 2500

/** Bound of the SDK's own calls, ms: a webhook must not hang with Slack. */
const CALL_TIMEOUT_MS = 5000

/** Slack's client writes its warnings to the console as plain text; what fails is thrown, and logged where it is caught. */
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, setLevel: () => {}, getLevel: () => 'error' as never, setName: () => {} }

/** Pause before asking again who the bot is, ms. */
const IDENTITY_RETRY_MS = 30_000

/** Slack through the SDK, with what the SDK makes a reviewer wait for taken out of the way. */
export class FormSlackAdapter extends SlackAdapter {
  private readonly openView: SlackCall
  private readonly click = new AsyncLocalStorage<true>()
  private identifiedAt = 0

  constructor(private readonly settings: SlackSettings, logger: Logger) {
    super({
      botToken: settings.botToken,
      signingSecret: settings.signingSecret,
      apiUrl: settings.apiUrl,
      logger,
      // The client's default policy retries for 30 minutes.
      webClientOptions: { timeout: CALL_TIMEOUT_MS, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, logger: QUIET },
    } satisfies SlackAdapterConfig)
    this.openView = createSlackCall(settings, OPEN_TIMEOUT_MS)
  }

  /** The SDK awaits `auth.test` before the first answer; with Slack unreachable every webhook would wait for it. */
  override async initialize(chat: ChatInstance): Promise<void> {
    this.identify(chat)
  }

  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    if (this.chat && !this.botUserId && Date.now() - this.identifiedAt > IDENTITY_RETRY_MS) this.identify(this.chat)
    return super.handleWebhook(request, options)
  }

  /** The clicked message came with the click: fetching it would spend the trigger's 3 s. */
  override async fetchMessage(threadId: string, messageId: string): Promise<Message<unknown> | null> {
    return this.click.getStore() ? null : super.fetchMessage(threadId, messageId)
  }

  override async openModal(triggerId: string, modal: ModalElement, contextId?: string): Promise<{ viewId: string }> {
    if (!isPlainModal(modal)) return super.openModal(triggerId, modal, contextId)
    const outcome = await this.openView('views.open', { trigger_id: triggerId, view: modalView(modal, contextId) })
    if (!outcome.ok) throw new Error(outcome.reason)
    return { viewId: String((outcome.value.view as { id?: string } | undefined)?.id ?? '') }
  }

  /** Cards quote forms: they are shown literally, as the ones of submissions are; the SDK's would obey `<!channel>` and `*`. */
  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const card = cardOf(message)
    if (!card) return super.postMessage(threadId, message)
    const { channel, threadTs } = this.decodeThreadId(threadId)
    const { ts } = await this.callWith('chat.postMessage', { channel, ...threadTs ? { thread_ts: threadTs } : {}, ...content(card), unfurl_links: false, unfurl_media: false })
    return { id: String(ts), threadId, raw: {} }
  }

  override async editMessage(threadId: string, messageId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const card = cardOf(message)
    if (!card || messageId.startsWith('ephemeral:')) return super.editMessage(threadId, messageId, message)
    await this.callWith('chat.update', { channel: this.decodeThreadId(threadId).channel, ts: messageId, ...content(card) })
    return { id: messageId, threadId, raw: {} }
  }

  private async callWith(method: string, body: Record<string, unknown>): Promise<SlackApiResponse> {
    const outcome = await createSlackCall({ ...this.settings, botToken: await this.getToken() }, CALL_TIMEOUT_MS)(method, body)
    if (!outcome.ok) throw new Error(outcome.reason)
    return outcome.value
  }

  /** The SDK keeps the click with the modal's context for a day: the form on the clicked card stays out of it. */
  protected override handleBlockActions(...[payload, options]: Parameters<SlackAdapter['handleBlockActions']>): void {
    const { message, state, ...click } = payload as typeof payload & { state?: unknown }
    const bare = { ...click, ...message ? { message: { ts: message.ts, thread_ts: message.thread_ts } } : {} }
    this.click.run(true, () => super.handleBlockActions(bare as typeof payload, options))
  }

  /** With the store away the SDK would answer 500, or too late, and Slack would throw away what was typed. */
  protected override async handleViewSubmission(...[payload, options]: Parameters<SlackAdapter['handleViewSubmission']>): Promise<Response> {
    const late = new Promise<null>(resolve => setTimeout(resolve, SUBMIT_TIMEOUT_MS, null).unref())
    const answer = await Promise.race([super.handleViewSubmission(payload, options), late]).catch(() => null)
    if (answer) return answer
    const [firstInput = 'none'] = Object.keys(payload.view.state.values)
    return Response.json({ response_action: 'errors', errors: { [firstInput]: 'This could not be saved. Nothing is lost: press the button again in a moment.' } })
  }

  protected override modalResponseToSlack(response: ModalResponse, contextId?: string): ReturnType<SlackAdapter['modalResponseToSlack']> {
    if (response.action !== 'update' || !isPlainModal(response.modal)) return super.modalResponseToSlack(response, contextId)
    return { response_action: 'update', view: modalView(response.modal, contextId) as never }
  }

  private identify(chat: ChatInstance): void {
    this.identifiedAt = Date.now()
    // Sets `chat` before its first await and only logs when Slack does not answer.
    void super.initialize(chat)
  }
}

/** The card, when there is nothing beside it. */
function cardOf(message: AdapterPostableMessage): CardElement | null {
  if (isCardElement(message)) return message
  return typeof message === 'object' && 'card' in message && !message.files?.length ? message.card : null
}

/** The title is the notification: of the whole card, which the SDK puts there, `chat.update` takes 4,000 bytes. */
function content(card: CardElement): { text: string, blocks: object[] } {
  return { text: escapeSlackText(card.title ?? 'Message'), blocks: cardBlocks(card) }
}
