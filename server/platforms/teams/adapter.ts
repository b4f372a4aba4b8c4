import { TeamsAdapter } from '@chat-adapter/teams'
import type { AdapterPostableMessage, Logger, ModalElement, ModalResponse, RawMessage, WebhookOptions } from 'chat'
import { speechIn, type PostableSpeech } from '../shared/speech'
import { within } from '../shared/within'
import { dialogCard, textInputs, type DialogData } from './cards'
import { callConnector, type ConnectorRequest, type ConnectorResponse, type TeamsSettings } from './client'
import { CONNECTOR, isActivity, issuerOf } from './inbound'
import { activities, cardActivity } from './messages'
import { quieten, REFUSED } from './quiet'

/** Teams gives up on a dialog after about 5 s; this leaves time to say so. */
const DIALOG_TIMEOUT_MS = 4000

/** Bound of a call that posts or edits a card in a conversation, ms. */
const CARD_TIMEOUT_MS = 10_000

type DialogOpening = { modal: ModalElement, contextId: string } | null

interface Activity {
  id: string
  from?: { id?: string, name?: string }
  serviceUrl?: string
  conversation?: { id?: string }
  replyToId?: string
}

/** The App warns in plain text about an option that the SDK always gives it. */
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

/** Teams through the SDK, with dialogs that keep what was typed and show it literally. */
export class FormTeamsAdapter extends TeamsAdapter {
  constructor(settings: TeamsSettings, logger: Logger) {
    super({
      appId: settings.appId, appPassword: settings.appPassword, appTenantId: settings.tenantId, apiUrl: settings.apiUrl,
      appType: settings.tenantId ? 'SingleTenant' : 'MultiTenant', userName: 'form-bot', logger,
    })
    quieten(this.app.log, logger)
  }

  /**
   * Takes what the Bot Connector signed, and nothing else. The SDK also takes a token that any Entra tenant issued for
   * this app: its holder would choose who clicks, and where, and to which address the bot's own token goes.
   */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const authorization = request.headers.get('authorization')
    if (authorization && issuerOf(authorization) !== CONNECTOR) {
      this.logger.warn(REFUSED)
      return Response.json({ error: 'Only the Bot Connector may call this.' }, { status: 401 })
    }
    if (!isActivity(await request.text())) {
      this.logger.warn('A webhook that is no activity was refused.')
      return Response.json({ error: 'This is no activity of Teams.' }, { status: 400 })
    }
    return super.handleWebhook(request, options)
  }

  /** One call of the Bot Connector as the bot. */
  async connector({ method, serviceUrl, path, body, timeoutMs }: ConnectorRequest): Promise<ConnectorResponse> {
    const api = this.app.apiFor(serviceUrl)
    // Signing in has no bound of its own.
    return within(timeoutMs, api.http.request({
      method, url: `${api.serviceUrl}${path}`, data: body, timeout: timeoutMs, validateStatus: () => true,
    }))
  }

  /** Every activity names its sender in full; the SDK would ask Graph, which needs a permission and time. */
  override async getUser(): Promise<null> {
    return null
  }

  /** The SDK grows an answer where the whole of it is one request; everywhere else it posts and edits, as here. */
  override async stream(): Promise<null> {
    return null
  }

  /** Cards go out as our rooms send them: the SDK renders what users and forms say as markdown. */
  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    return speech ? this.sendCard(threadId, speech) : super.postMessage(threadId, message)
  }

  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    return speech ? this.sendCard(threadId, speech, messageId) : super.editMessage(threadId, messageId, message)
  }

  /**
   * Answered at once: in a direct chat the SDK holds the answer back until the whole turn is over, and Teams delivers
   * again what is not answered in time.
   */
  protected override async handleMessageActivity(
    ...[{ activity }]: Parameters<TeamsAdapter['handleMessageActivity']>
  ): Promise<void> {
    if (!this.chat) return
    if (isClick(activity.value)) {
      const click = readClick(activity.value)
      return click ? this.handleMessageAction(activity, click) : this.warnOfOddClick()
    }
    const message = this.parseMessage(activity)
    const isUs = ({ mentioned }: { mentioned?: { id?: string } }) => (
      mentioned?.id?.endsWith(this.app.id ?? '-') === true
    )
    if (activity.entities?.some(entity => entity.type === 'mention' && isUs(entity))) message.isMention = true
    const handled = this.chat.processMessage(
      this, message.threadId, message, this.bridgeAdapter.getWebhookOptions(activity.id),
    )
    handled.catch(() => { /* The SDK has logged it. */ })
  }

  protected override async handleAdaptiveCardAction(
    ...[context]: Parameters<TeamsAdapter['handleAdaptiveCardAction']>
  ): Promise<void> {
    const { action } = (context.activity.value ?? {}) as { action?: { data?: unknown } }
    return readClick(action?.data) ? super.handleAdaptiveCardAction(context) : this.warnOfOddClick()
  }

  /** The SDK's own dialog forgets `privateMetadata` and renders text as markdown. */
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
    const opening = new Promise<DialogOpening>((resolve) => {
      const handled = chat.processAction({
        ...this.eventOf(activity), ...click, messageId: activity.replyToId ?? activity.id,
      }, {
        waitUntil: () => {},
        ...options,
        onOpenModal: async (modal, contextId) => {
          resolve({ modal, contextId })
          return { viewId: contextId }
        },
      })
      handled.catch(() => {}).finally(() => resolve(null))
    })
    const opened = await within(DIALOG_TIMEOUT_MS, opening).catch(() => undefined)
    if (opened) return dialog(opened.modal, opened.contextId)
    return message(opened === null
      ? 'There is nothing to edit here any more.'
      : 'That did not work just now. Nothing is lost: press the button again in a moment.')
  }

  protected override async handleDialogSubmit(
    ...[{ activity }]: Parameters<TeamsAdapter['handleDialogSubmit']>
  ): ReturnType<TeamsAdapter['handleDialogSubmit']> {
    const { dialog: sent, ...data } = activity.value?.data as { dialog?: DialogData } & Record<string, unknown> ?? {}
    if (!this.chat) return undefined
    if (sent?.modal?.type !== 'modal' || !Array.isArray(sent.modal.children)) {
      this.warnOfOddClick()
      return undefined
    }
    const { modal, contextId } = sent
    const values = Object.fromEntries(
      textInputs(modal).map(({ id }) => [id, typeof data[id] === 'string' ? data[id] : '']),
    )
    const event = {
      ...this.eventOf(activity), callbackId: modal.callbackId, viewId: activity.id, values,
      privateMetadata: modal.privateMetadata,
    }
    const response = await this.chat.processModalSubmit(
      event, contextId, this.bridgeAdapter.getWebhookOptions(activity.id),
    ).catch((): ModalResponse => (
      { action: 'errors', errors: {
        form: 'This could not be saved. Nothing is lost: press the button again in a moment.',
      } }
    ))
    switch (response?.action) {
      case 'errors': return dialog(refilled(modal, values), contextId, response.errors)
      case 'update': case 'push': return dialog(response.modal, contextId)
      default: return undefined
    }
  }

  private async sendCard(
    threadId: string, { card, fallbackText }: PostableSpeech, messageId?: string,
  ): Promise<RawMessage<unknown>> {
    const { conversationId, serviceUrl } = this.decodeThreadId(threadId)
    const path = activities(conversationId) + (messageId ? `/${encodeURIComponent(messageId)}` : '')
    const body = cardActivity(card, fallbackText, this.app.id ?? '')
    const outcome = await callConnector(
      () => this.connector({ method: messageId ? 'PUT' : 'POST', serviceUrl, path, body, timeoutMs: CARD_TIMEOUT_MS }),
      CARD_TIMEOUT_MS,
    )
    if (!outcome.ok) throw new Error(outcome.reason)
    return { id: messageId ?? String(outcome.value.id), threadId, raw: body }
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

function isClick(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'actionId' in data
}

/** What a click carries, which its client chooses; null when it is not what any button of ours sends. */
function readClick(data: unknown): { actionId: string, value?: string } | null {
  const { actionId, value } = (data ?? {}) as Record<string, unknown>
  return typeof actionId === 'string' && (value === undefined || typeof value === 'string') ? { actionId, value } : null
}

function dialog(modal: ModalElement, contextId: string, errors?: Record<string, string>) {
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content: dialogCard(modal, contextId, errors) }
  return { task: { type: 'continue', value: { title: modal.title, card } } } as never
}

function message(value: string) {
  return { task: { type: 'message', value } } as never
}

function refilled(modal: ModalElement, values: Readonly<Record<string, string>>): ModalElement {
  return { ...modal, children: modal.children.map(child => child.type === 'text_input'
    ? { ...child, initialValue: values[child.id] }
    : child) }
}
