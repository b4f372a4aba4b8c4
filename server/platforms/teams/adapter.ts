import { AsyncLocalStorage } from 'node:async_hooks'
import { TeamsAdapter } from '@chat-adapter/teams'
import type {
  AdapterPostableMessage, CardElement, Logger, ModalElement, ModalResponse, RawMessage, WebhookOptions,
} from 'chat'
import type { Outcome } from '../../ports/delivery'
import { unwrap } from '../shared/answers'
import { withRetryAfter, answeredWithin } from '../shared/patience'
import { textsOf } from '../shared/elements'
import { withWholeQuotes } from '../shared/text'
import { plainWordsOf, speechIn, type PostableSpeech } from '../shared/speech'
import { cardActivity, inputsOf, inputValue, refilled, type DialogData } from './cards'
import { callConnector, TEAMS_TIMEOUT_MS, type ConnectorRequest, type TeamsSettings } from './client'
import { dialog, isClick, message, readClick } from './dialogs'
import { CONNECTOR, isActivity, issuerOf, ownMentions, renamed, type Activity } from './inbound'
import { quieten, REFUSED } from './quiet'

/** Timeout of a dialog, ms: Teams gives up after about 5 s; this leaves time to report a failure. */
const DIALOG_TIMEOUT_MS = 4000

/** Answer to a click that waits for a dialog: the dialog, or a message instead. */
type DialogOpening = { modal: ModalElement, contextId: string } | { text: string } | null

/** Creates the adapter. Silences `console.warn` meanwhile: the App warns about an option that the SDK always sets. */
export function createTeamsAdapter(settings: TeamsSettings, logger: Logger): FormTeamsAdapter {
  const { warn } = console
  console.warn = () => {}
  try {
    return new FormTeamsAdapter(settings, logger)
  }
  finally {
    console.warn = warn
  }
}

/** Teams through the SDK, with dialogs that keep the input and show it literally. */
export class FormTeamsAdapter extends TeamsAdapter {
  /** Takes a message for the person who clicked, while their dialog is being opened. */
  private readonly dialogReply = new AsyncLocalStorage<(text: string) => void>()

  constructor(settings: TeamsSettings, logger: Logger) {
    super({
      appId: settings.appId, appPassword: settings.appPassword, appTenantId: settings.tenantId, apiUrl: settings.apiUrl,
      appType: settings.tenantId ? 'SingleTenant' : 'MultiTenant', userName: 'form-bot', logger,
    })
    quieten(this.app.log, logger)
    withWholeQuotes(this.formatConverter)
  }

  /**
   * Accepts only webhooks that the Bot Connector signed. The SDK also accepts a token that any Entra tenant issued for
   * this app. With such a token, a stranger could choose who clicks, where, and to which address the bot's own token
   * goes.
   */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const authorization = request.headers.get('authorization') ?? ''
    if (authorization && issuerOf(authorization) !== CONNECTOR) {
      this.logger.warn(REFUSED)
      return Response.json({ error: 'Only the Bot Connector may call this.' }, { status: 401 })
    }
    // Check the token before reading the body; `super` checks again that it is for the address in the body.
    const authResult = await this.app.server['authorize']({ authorization }, {} as never)
    if (!authResult.success) return Response.json({ error: authResult.error }, { status: 401 })
    if (!isActivity(await request.text())) {
      this.logger.warn('Refused a webhook whose body is not a Teams activity.')
      return Response.json({ error: 'This is no activity of Teams.' }, { status: 400 })
    }
    return super.handleWebhook(request, options)
  }

  /** Calls the Bot Connector as the bot. */
  connector({ method, serviceUrl, path, body }: ConnectorRequest): Promise<Outcome<{ id?: string }>> {
    return callConnector(() => {
      const { http, serviceUrl: base } = this.app.apiFor(serviceUrl)
      const callOptions = { timeout: TEAMS_TIMEOUT_MS, validateStatus: () => true }
      return http.request({ method, url: `${base}${path}`, data: body, ...callOptions })
    })
  }

  signIn = () => (this.app as unknown as { getBotToken: () => Promise<unknown> }).getBotToken()

  /** Posts a card to a conversation, or replaces a message. @param summary text of the notification */
  sendCard(
    { conversationId, serviceUrl }: { conversationId: string, serviceUrl: string }, card: CardElement, summary: string,
    messageId?: string,
  ): Promise<Outcome<{ id?: string }>> {
    const activities = `/v3/conversations/${encodeURIComponent(conversationId)}/activities`
    const body = { from: { id: this.app.id ?? '', role: 'bot' }, ...cardActivity(card, summary) }
    return messageId === undefined
      ? this.connector({ method: 'POST', serviceUrl, path: activities, body })
      : this.connector({ method: 'PUT', serviceUrl, path: `${activities}/${encodeURIComponent(messageId)}`, body })
  }

  /** Always null: activities contain the sender's full name. The SDK asks Graph, which needs a permission and time. */
  override async getUser(): Promise<null> {
    return null
  }

  /**
   * Always null, so that the SDK posts and edits. It could stream only in a chat, while the chat's request stays open.
   */
  override async stream(): Promise<null> {
    return null
  }

  /** Sends cards as our rooms do: the SDK renders text of users and forms as markdown. */
  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    return withRetryAfter(() => speech ? this.sendSpeech(threadId, speech) : super.postMessage(threadId, message))
  }

  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    return withRetryAfter(() => (
      speech ? this.sendSpeech(threadId, speech, messageId) : super.editMessage(threadId, messageId, message)
    ))
  }

  /**
   * Replaces a dialog that is opening, else sends a private text: the SDK sends markdown, and waits without a limit.
   */
  override async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const speech = speechIn(message)
    const text = speech ? plainWordsOf(speech.card) : this.formatConverter.renderPostable(message)
    const answerInDialog = this.dialogReply.getStore()
    if (answerInDialog) answerInDialog(text)
    else await this.sendPrivately(threadId, userId, text)
    return { id: '', threadId, usedFallback: false, raw: {} }
  }

  /**
   * Returns before the turn ends: in a direct chat the SDK would hold the response back until then, and Teams
   * redelivers a webhook that is not answered in time.
   */
  protected override async handleMessageActivity(
    ...[{ activity }]: Parameters<TeamsAdapter['handleMessageActivity']>
  ): Promise<void> {
    if (!this.chat) return
    if (isClick(activity.value)) {
      const click = readClick(activity.value)
      return click ? this.handleMessageAction(activity, click) : this.warnOfOddClick()
    }
    const botMentions = ownMentions(activity, this.app.id)
    const renamedActivity = { ...activity, text: renamed(activity.text, botMentions, this.userName) }
    const message = this.parseMessage(renamedActivity as typeof activity)
    if (botMentions.length > 0) message.isMention = true
    const handling = this.chat.processMessage(
      this, message.threadId, message, this.bridgeAdapter.getWebhookOptions(activity.id),
    )
    handling.catch(() => { /* The SDK has logged it. */ })
  }

  protected override async handleAdaptiveCardAction(
    ...[context]: Parameters<TeamsAdapter['handleAdaptiveCardAction']>
  ): Promise<void> {
    const { action } = (context.activity.value ?? {}) as { action?: { data?: unknown } }
    return readClick(action?.data) ? super.handleAdaptiveCardAction(context) : this.warnOfOddClick()
  }

  /** Replaces the SDK's dialog, which loses `privateMetadata` and renders text as markdown. */
  protected override async handleDialogOpen(
    ...[{ activity }]: Parameters<TeamsAdapter['handleDialogOpen']>
  ): ReturnType<TeamsAdapter['handleDialogOpen']> {
    if (!this.chat) return undefined
    const { chat } = this
    const click = readClick(activity.value?.data)
    if (!click) {
      this.warnOfOddClick()
      return undefined
    }
    const options = this.bridgeAdapter.getWebhookOptions(activity.id)
    const { promise: opening, resolve } = Promise.withResolvers<DialogOpening>()
    const event = { ...this.eventOf(activity), ...click, messageId: activity.replyToId ?? activity.id }
    const handling = this.dialogReply.run(text => resolve({ text }), () => chat.processAction(event, {
      waitUntil: () => {},
      ...options,
      onOpenModal: async (modal, contextId) => {
        resolve({ modal, contextId })
        return { viewId: contextId }
      },
    }))
    handling.catch(() => {}).finally(() => resolve(null))
    const answer = await answeredWithin(DIALOG_TIMEOUT_MS, opening).catch(() => undefined)
    if (answer && 'text' in answer) return message(answer.text)
    if (answer) return dialog(answer.modal, answer.contextId)
    return message(answer === null
      ? 'There is nothing to edit here any more.'
      : 'That did not work just now. Nothing is lost: press the button again in a moment.')
  }

  protected override async handleDialogSubmit(
    ...[{ activity }]: Parameters<TeamsAdapter['handleDialogSubmit']>
  ): ReturnType<TeamsAdapter['handleDialogSubmit']> {
    const { dialog: form, ...data } = activity.value?.data as { dialog?: DialogData } & Record<string, unknown> ?? {}
    if (!this.chat) return undefined
    if (form?.modal?.type !== 'modal' || !Array.isArray(form.modal.children)) {
      this.warnOfOddClick()
      return undefined
    }
    const { modal, contextId } = form
    const values = Object.fromEntries(inputsOf(modal).map(input => [input.id, inputValue(input, data[input.id])]))
    const event = {
      ...this.eventOf(activity), callbackId: modal.callbackId, viewId: activity.id, values,
      privateMetadata: modal.privateMetadata,
    }
    const response = await this.chat.processModalSubmit(
      event, contextId, this.bridgeAdapter.getWebhookOptions(activity.id),
    ).catch((): ModalResponse => (
      { action: 'errors', errors: {
        form: textsOf(modal)('card.form.saveFailed'),
      } }
    ))
    switch (response?.action) {
      case 'errors': return dialog(refilled(modal, values), contextId, response.errors)
      case 'update': case 'push': return dialog(response.modal, contextId)
      default: return undefined
    }
  }

  private async sendSpeech(threadId: string, { card, fallbackText }: PostableSpeech, messageId?: string) {
    const { id } = unwrap(await this.sendCard(this.decodeThreadId(threadId), card, fallbackText, messageId))
    return { id: messageId ?? String(id), threadId, raw: cardActivity(card, fallbackText) }
  }

  /** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/targeted-messages */
  private async sendPrivately(threadId: string, userId: string, text: string): Promise<void> {
    const { conversationId, serviceUrl } = this.decodeThreadId(threadId)
    const path = `/v3/conversations/${encodeURIComponent(conversationId)}/activities?isTargetedActivity=true`
    const recipient = { id: userId, name: userId, role: 'user', isTargeted: true }
    const from = { id: this.app.id ?? '', role: 'bot' }
    const body = { type: 'message', from, recipient, text, textFormat: 'plain' }
    unwrap(await this.connector({ method: 'POST', serviceUrl, path, body }))
  }

  private warnOfOddClick(): void {
    this.logger.warn('A click that could not be read has no effect.')
  }

  private eventOf(activity: Activity) {
    const name = activity.from?.name ?? 'unknown'
    return {
      user: { userId: activity.from?.id ?? 'unknown', userName: name, fullName: name, isBot: false, isMe: false },
      adapter: this, threadId: this.threadOf(activity), raw: activity,
    }
  }

  private threadOf({ conversation, serviceUrl }: Activity): string {
    return this.encodeThreadId({ conversationId: conversation?.id ?? '', serviceUrl: serviceUrl ?? '' })
  }
}
