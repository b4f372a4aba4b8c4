import {
  BaseFormatConverter, CardText, Message, Modal, parseMarkdown, stringifyMarkdown, type Adapter,
  type AdapterPostableMessage, type ChatInstance, type FetchOptions, type FetchResult, type FormattedContent,
  type ModalElement, type ModalResponse, type RawMessage, type Root, type ThreadInfo, type WebhookOptions,
} from 'chat'
import { z } from 'zod'
import type { SandboxMessage, SandboxModal, SandboxModalAnswer } from '../../../shared/types/sandbox'
import { withinOrNull } from '../../../shared/utils/time'
import { speechIn } from '../shared/speech'
import { interaction, type SandboxInteraction, type SandboxUser } from './protocol'
import type { SandboxRooms } from './rooms'

/** Max wait of a click for its modal, ms; real platforms give 3 s */
const CLICK_TIMEOUT_MS = 2500

/** Max open forms; the page does not report closed ones */
const MAX_OPEN_FORMS = 100

class PlainConverter extends BaseFormatConverter {
  toAst(text: string): Root {
    return parseMarkdown(text)
  }

  fromAst(ast: Root): string {
    return stringifyMarkdown(ast)
  }
}

/** Chat SDK adapter of the embedded platform: its webhook receives the page's clicks and answers with modals */
export class SandboxAdapter implements Adapter<{ channel: string, messageId: string }, SandboxMessage> {
  readonly name = 'sandbox'
  readonly userName = 'form-bot'
  private readonly converter = new PlainConverter()
  private readonly views = new Map<string, { modal: ModalElement, contextId: string }>()
  private chat: ChatInstance | null = null

  constructor(private readonly rooms: SandboxRooms) {}

  async initialize(chat: ChatInstance): Promise<void> {
    this.chat = chat
  }

  async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const body = interaction.safeParse(await request.json().catch(() => null))
    if (!body.success) {
      return Response.json({ error: `Not a sandbox interaction: ${z.prettifyError(body.error)}` }, { status: 400 })
    }
    if (!this.chat) return Response.json({ error: 'The bot is not started.' }, { status: 503 })
    const event = { ...body.data, user: this.rooms.senderOf(request) ?? body.data.user }
    switch (event.type) {
      case 'action': return Response.json(await this.handleClick(this.chat, event, options))
      case 'modal_submit': return Response.json(await this.submit(this.chat, event, options))
      case 'message': return this.receiveMessage(this.chat, event, options)
    }
  }

  private receiveMessage(
    chat: ChatInstance, { channel, threadId, text, user }: SandboxInteraction & { type: 'message' },
    options?: WebhookOptions,
  ): Response {
    if (threadId !== undefined && !this.rooms.has(threadId)) {
      return Response.json(
        { error: 'This thread is gone. The sandbox keeps the newest messages only.' }, { status: 404 },
      )
    }
    if (!this.rooms.channels.includes(channel)) {
      return Response.json({ error: 'There is no such room. Reload the page.' }, { status: 404 })
    }
    // Trust our record of the thread's channel, not the page.
    const target = threadId === undefined ? { channel } : { ...this.decodeThreadId(threadId), threadId }
    const message = this.rooms.post(target, { text, card: null }, { id: user.id, name: user.name })
    // The handlers answer later, as on the real platforms.
    void chat.processMessage(
      this, message.threadId, this.parseMessage(message), options,
    ).catch(() => { /* The SDK has logged it. */ })
    return Response.json({ messageId: message.id, threadId: message.threadId })
  }

  private async handleClick(
    chat: ChatInstance, action: SandboxInteraction & { type: 'action' }, options?: WebhookOptions,
  ): Promise<object> {
    // Trust our record of the message's thread, not the page.
    const threadId = this.rooms.threadOf(action.messageId)
    if (threadId === null) return {}
    const { promise: viewAnswer, resolve } = Promise.withResolvers<object>()
    const onOpenModal = async (modal: ModalElement, contextId: string) => {
      const view = this.keepView(modal, contextId)
      resolve({ modal: view })
      return { viewId: view.viewId }
    }
    const handling = chat.processAction({
      actionId: action.actionId, value: action.value, user: authorOf(action.user), adapter: this,
      messageId: action.messageId, threadId, raw: action,
    }, { ...options, onOpenModal })
    const emptyAnswer = () => ({})
    const answer = Promise.race([viewAnswer, Promise.resolve(handling).then(emptyAnswer, emptyAnswer)])
    return await withinOrNull(CLICK_TIMEOUT_MS, answer) ?? emptyAnswer()
  }

  private async submit(
    chat: ChatInstance, { viewId, values, user }: SandboxInteraction & { type: 'modal_submit' },
    options?: WebhookOptions,
  ): Promise<SandboxModalAnswer> {
    const view = this.views.get(viewId)
    if (!view) {
      return { action: 'update', modal: { viewId, element: Modal({
        callbackId: 'notice', title: 'Form closed',
        children: [CardText('This form is no longer open. Press the button again.')],
      }) } }
    }
    const { callbackId, privateMetadata } = view.modal
    const response: ModalResponse | undefined = await chat.processModalSubmit(
      { callbackId, viewId, values, privateMetadata, user: authorOf(user), adapter: this, raw: { user } },
      view.contextId, options,
    )
    if (response?.action === 'errors') return response
    this.views.delete(viewId)
    return response?.action === 'update'
      ? { action: 'update', modal: this.keepView(response.modal, view.contextId) }
      : { action: 'close' }
  }

  private keepView(modal: ModalElement, contextId: string): SandboxModal {
    const viewId = crypto.randomUUID()
    this.views.set(viewId, { modal, contextId })
    for (const oldestId of this.views.keys()) {
      if (this.views.size <= MAX_OPEN_FORMS) break
      this.views.delete(oldestId)
    }
    return { viewId, element: modal }
  }

  async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<SandboxMessage>> {
    return toRaw(this.rooms.post({ ...this.decodeThreadId(threadId), threadId }, this.contentOf(message)))
  }

  async postChannelMessage(channelId: string, message: AdapterPostableMessage): Promise<RawMessage<SandboxMessage>> {
    return toRaw(this.rooms.post({ channel: this.decodeThreadId(channelId).channel }, this.contentOf(message)))
  }

  async editMessage(
    _threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<SandboxMessage>> {
    const editedMessage = this.rooms.edit(messageId, this.contentOf(message))
    if (!editedMessage) throw new Error('message_not_found')
    return toRaw(editedMessage)
  }

  async deleteMessage(_threadId: string, messageId: string): Promise<void> {
    this.rooms.delete(messageId)
  }

  async fetchMessages(threadId: string, { limit = Infinity }: FetchOptions = {}): Promise<FetchResult<SandboxMessage>> {
    const messages = this.rooms.list().filter(message => message.threadId === threadId)
    return { messages: messages.slice(-limit).map(message => this.parseMessage(message)) }
  }

  async fetchThread(threadId: string): Promise<ThreadInfo> {
    return { id: threadId, channelId: this.channelIdFromThreadId(threadId), metadata: {} }
  }

  parseMessage(message: SandboxMessage): Message<SandboxMessage> {
    const text = message.text ?? ''
    return new Message({
      id: message.id, threadId: message.threadId, text, formatted: parseMarkdown(text), raw: message, attachments: [],
      author: message.author
        ? authorOf(message.author)
        : { userId: this.userName, userName: this.userName, fullName: this.userName, isBot: true, isMe: true },
      metadata: { dateSent: new Date(message.postedAt), edited: message.editedAt !== null },
    })
  }

  encodeThreadId({ channel, messageId }: { channel: string, messageId: string }): string {
    return `sandbox:${channel}:${messageId}`
  }

  decodeThreadId(threadId: string): { channel: string, messageId: string } {
    const [, channel = '', messageId = ''] = threadId.split(':')
    return { channel, messageId }
  }

  channelIdFromThreadId(threadId: string): string {
    return `sandbox:${this.decodeThreadId(threadId).channel}`
  }

  renderFormatted(content: FormattedContent): string {
    return this.converter.fromAst(content)
  }

  async addReaction(): Promise<void> {}
  async removeReaction(): Promise<void> {}
  async startTyping(): Promise<void> {}

  private contentOf(message: AdapterPostableMessage): { text: string | null, card: SandboxMessage['card'] } {
    const speech = speechIn(message)
    return speech
      ? { text: speech.mention ?? null, card: speech.card }
      : { text: this.converter.renderPostable(message), card: null }
  }
}

function authorOf({ id, name }: SandboxUser) {
  return { userId: id, userName: name, fullName: name, isBot: false, isMe: false } as const
}

function toRaw(message: SandboxMessage): RawMessage<SandboxMessage> {
  return { id: message.id, threadId: message.threadId, raw: message }
}
