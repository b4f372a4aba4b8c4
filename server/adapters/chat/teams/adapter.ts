import { TeamsAdapter } from '@chat-adapter/teams'
import type { Logger, ModalElement, ModalResponse } from 'chat'
import { within } from '../within'
import { dialogCard, textInputs, type DialogData } from './cards'
import type { ConnectorRequest, ConnectorResponse, TeamsSettings } from './client'

/** Teams gives up on a dialog after about 5 s; this leaves time to say so. */
const DIALOG_TIMEOUT_MS = 4000

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
    this.quieten()
  }

  /** One call of the Bot Connector as the bot. */
  async connector({ method, serviceUrl, path, body, timeoutMs }: ConnectorRequest): Promise<ConnectorResponse> {
    const api = this.app.apiFor(serviceUrl)
    // Signing in has no bound of its own.
    return within(timeoutMs, api.http.request({ method, url: `${api.serviceUrl}${path}`, data: body, timeout: timeoutMs, validateStatus: () => true }))
  }

  /** Every activity names its sender in full; the SDK would ask Graph, which needs a permission and time. */
  override async getUser(): Promise<null> {
    return null
  }

  /** The SDK's own dialog forgets `privateMetadata` and renders text as markdown. */
  protected override async handleDialogOpen(...[{ activity }]: Parameters<TeamsAdapter['handleDialogOpen']>): ReturnType<TeamsAdapter['handleDialogOpen']> {
    if (!this.chat) return undefined
    const { chat } = this
    const { actionId = 'dialog.open', value } = activity.value?.data as { actionId?: string, value?: string } ?? {}
    const options = this.bridgeAdapter.getWebhookOptions(activity.id)
    const opening = new Promise<DialogOpening>((resolve) => {
      const handled = chat.processAction({ ...this.eventOf(activity), actionId, value, messageId: activity.replyToId ?? activity.id }, {
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
    return message(opened === null ? 'There is nothing to edit here any more.' : 'That did not work just now. Nothing is lost: press the button again in a moment.')
  }

  protected override async handleDialogSubmit(...[{ activity }]: Parameters<TeamsAdapter['handleDialogSubmit']>): ReturnType<TeamsAdapter['handleDialogSubmit']> {
    const { dialog: sent, ...data } = activity.value?.data as { dialog?: DialogData } & Record<string, unknown> ?? {}
    if (!this.chat || sent?.modal?.type !== 'modal') return undefined
    const { modal, contextId } = sent
    const values = Object.fromEntries(textInputs(modal).map(({ id }) => [id, typeof data[id] === 'string' ? data[id] : '']))
    const event = { ...this.eventOf(activity), callbackId: modal.callbackId, viewId: activity.id, values, privateMetadata: modal.privateMetadata }
    const response = await this.chat.processModalSubmit(event, contextId, this.bridgeAdapter.getWebhookOptions(activity.id)).catch((): ModalResponse => (
      { action: 'errors', errors: { form: 'This could not be saved. Nothing is lost: press the button again in a moment.' } }
    ))
    switch (response?.action) {
      case 'errors': return dialog(refilled(modal, values), contextId, response.errors)
      case 'update': case 'push': return dialog(response.modal, contextId)
      default: return undefined
    }
  }

  private eventOf(activity: Activity) {
    const name = activity.from?.name ?? 'unknown'
    return { user: { userId: activity.from?.id ?? 'unknown', userName: name, fullName: name, isBot: false, isMe: false }, adapter: this, threadId: this.threadOf(activity), raw: activity }
  }

  private threadOf({ conversation, serviceUrl }: Activity): string {
    return this.encodeThreadId({ conversationId: conversation?.id ?? '', serviceUrl: serviceUrl ?? '' })
  }

  /** Microsoft's loggers print to the console as plain text, and the SDK passes ours to none of them; they share one prototype. */
  private quieten(): void {
    const { logger } = this
    Object.assign(Object.getPrototypeOf(this.app.log) as object, {
      log: (level: string, ...messages: unknown[]) => {
        if (level === 'error' || level === 'warn') logger[level](messages.find(part => typeof part === 'string') ?? 'Teams', ...messages.filter(part => part instanceof Error))
      },
    })
  }
}

function dialog(modal: ModalElement, contextId: string, errors?: Record<string, string>) {
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content: dialogCard(modal, contextId, errors) }
  return { task: { type: 'continue', value: { title: modal.title, card } } } as never
}

function message(value: string) {
  return { task: { type: 'message', value } } as never
}

function refilled(modal: ModalElement, values: Readonly<Record<string, string>>): ModalElement {
  return { ...modal, children: modal.children.map(child => child.type === 'text_input' ? { ...child, initialValue: values[child.id] } : child) }
}
