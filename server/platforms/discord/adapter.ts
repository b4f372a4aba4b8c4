import { AsyncLocalStorage } from 'node:async_hooks'
import type { DiscordAdapter } from '@chat-adapter/discord'
import type { AdapterPostableMessage, ChatInstance, Logger, Message, UserInfo, WebhookOptions } from 'chat'
import { sameSecret } from '../../../shared/same-secret'
import { jsonIn } from '../../../shared/utils/json'
import type { Drafts } from '../../ports/drafts'
import type { HttpClient } from '../../ports/http'
import { speechIn, wordsOf } from '../shared/speech'
import { tellOnce } from '../shared/tell-once'
import { slashCommand } from './commands'
import { allowed, cardEmbeds } from './embeds'
import { Exchange } from './forms/exchange'
import { OpenForms, parseFormId, type OpenModal } from './forms/form'
import { THREADS } from './gateway/directory'
import { DeliveryFailed, firstDelivery, forgetDelivery, UNCHECKED, type ForwardedEvent } from './gateway/events'
import { authorOf, commandIn, INTERACTION, privately, REPLY, type Interaction, type Reply } from './interactions'
import { ModalFlow } from './forms/modal-flow'
import type { DiscordSettings } from './api/rest'
import { RestDiscordAdapter } from './api/rest-adapter'

type SdkEvent = Parameters<DiscordAdapter['handleForwardedGatewayEvent']>[0]
type SdkMessage = Parameters<DiscordAdapter['parseDiscordMessage']>[0]
type SdkOptions = Parameters<DiscordAdapter['buildMessagePayload']>[1]
type SdkPayload = ReturnType<DiscordAdapter['buildMessagePayload']>

/** Max age of a signed request, s. Discord sets no limit, so this is Slack's. */
const MAX_SKEW_S = 300

const FAILURE_TEXT = 'That did not work just now. Nothing is lost: press the button again in a moment.'

/** Discord through the SDK, plus native modals, private messages and checks that the SDK lacks */
export class FormDiscordAdapter extends RestDiscordAdapter {
  private readonly currentExchange = new AsyncLocalStorage<Exchange>()
  private readonly modalFlow: ModalFlow

  constructor(settings: DiscordSettings, logger: Logger, http: HttpClient, drafts: Drafts) {
    super(settings, logger, http)
    this.modalFlow = new ModalFlow(
      new OpenForms(() => this.chat!.getState(), drafts), (form, values, interaction) => (
        this.chat!.processModalSubmit({ ...this.modalEvent(form, interaction), values }, form.id)
      ),
    )
  }

  override async initialize(chat: ChatInstance): Promise<void> {
    await super.initialize(chat)
    const path = `/applications/${this.applicationId}/commands`
    tellOnce(chat.getState(), path, slashCommand, body => this.rest('POST', path, { body })).catch((error: unknown) => {
      this.logger.warn('The commands could not be registered with Discord', { error })
    })
  }

  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const forwardToken = request.headers.get('x-discord-gateway-token')
    if (forwardToken !== null) {
      const isOurs = sameSecret(forwardToken, await this.resolveBotToken())
      return isOurs ? super.handleWebhook(request, options) : rejectSignature()
    }
    const body = new Uint8Array(await request.arrayBuffer())
    if (!await this.isAuthentic(body, request.headers)) return rejectSignature()
    const interaction = jsonIn(new TextDecoder().decode(body)) as Interaction | null | undefined
    if (!interaction) return new Response('Invalid JSON', { status: 400 })
    if (interaction.type === INTERACTION.ping) return Response.json({ type: REPLY.pong })
    if (isAnswered(interaction)) return Response.json(await this.respond(interaction, options))
    return super.handleWebhook(new Request(request.url, { method: 'POST', headers: request.headers, body }), options)
  }

  /** Handles one event from the gateway listener of this process. @throws DeliveryFailed */
  async receive(event: ForwardedEvent, options?: WebhookOptions): Promise<void> {
    const response = await this.handleForwardedGatewayEvent(event as SdkEvent, options)
    const { ok, status, headers } = response
    if (!ok) throw new DeliveryFailed(`status ${status}`, { unchecked: headers.has(UNCHECKED) })
  }

  /** Handles each event once: Discord replays unacknowledged events, and listeners repeat unanswered ones. */
  protected override async handleForwardedGatewayEvent(event: SdkEvent, options?: WebhookOptions): Promise<Response> {
    const state = this.chat!.getState()
    const forwardedEvent = event as unknown as ForwardedEvent
    try {
      if (!await firstDelivery(state, forwardedEvent)) return Response.json({ ok: true })
    }
    catch (error) {
      this.logger.error('Discord event could not be checked for repetition', { error })
      const headers = { 'retry-after': '1', [UNCHECKED]: '1' }
      return Response.json({ error: 'The store cannot be reached.' }, { status: 503, headers })
    }
    try {
      return await this.handleEvent(event, options)
    }
    catch (error) {
      // An event that the store cannot forget counts as handled, because part of it may have been.
      await forgetDelivery(state, forwardedEvent).catch(() => {})
      this.logger.error('Discord event failed', { error })
      return Response.json({ error: 'The event could not be handled.' }, { status: 500 })
    }
  }

  /** Interactions come over the gateway when no endpoint URL is set; they are answered through REST. */
  private async handleEvent(event: SdkEvent, options?: WebhookOptions): Promise<Response> {
    const deletion = deletedIn(event as unknown as ForwardedEvent)
    for (const messageId of deletion?.ids ?? []) {
      const threadId = this.threadOf(deletion!)
      const message = { adapter: this, platform: this.name, channelId: threadId, threadId, messageId, raw: event.data }
      void this.chat!.processMessageDeleted(message, options).catch(() => { /* The SDK has logged it. */ })
    }
    if (deletion) return Response.json({ ok: true })
    if (event.type !== 'GATEWAY_INTERACTION_CREATE') return super.handleForwardedGatewayEvent(event, options)
    const interaction = event.data as Interaction
    if (isAnswered(interaction)) await this.sendCallback(interaction, await this.respond(interaction, options))
    return Response.json({ ok: true })
  }

  /** Returns null during an interaction: it contains the message, and a modal must open within 3 s. */
  async fetchMessage(threadId: string, messageId: string): Promise<Message<unknown> | null> {
    if (this.currentExchange.getStore()) return null
    const message = await this.withMessageChannel(threadId, messageId, (channel) => {
      return this.rest<SdkMessage>('GET', `/channels/${channel}/messages/${messageId}`, { repeats: 1 })
    })
    return this.parseDiscordMessage(message, threadId)
  }

  /** Returns the user from the interaction if that user sent it: it contains the name that the server shows. */
  override async getUser(userId: string): Promise<UserInfo | null> {
    const interaction = this.currentExchange.getStore()?.interaction
    const author = interaction && authorOf(interaction)
    if (author?.userId !== userId) return super.getUser(userId)
    return { userId, userName: author.userName, fullName: author.fullName, isBot: author.isBot === true }
  }

  /**
   * Sends a private message as the answer to an interaction of the user. Otherwise returns null: Discord allows none.
   */
  async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const exchange = this.currentExchange.getStore()
    if (!exchange || authorOf(exchange.interaction)?.userId !== userId) return null
    const speech = speechIn(message)
    if (speech && exchange.interaction.type === INTERACTION.command) {
      const { embeds, components } = cardEmbeds(speech.card)
      await exchange.say(privately('', components, embeds))
    }
    else await exchange.say(privately(speech ? wordsOf(speech.card) : this.formatConverter.renderPostable(message)))
    return { id: '', threadId, usedFallback: false, raw: {} }
  }

  /** Renders cards as our rooms do. Only the message's `mention` may ping. */
  protected override buildMessagePayload(message: AdapterPostableMessage, options?: SdkOptions): SdkPayload {
    const speech = speechIn(message)
    if (!speech) return super.buildMessagePayload(message, options)
    const { embeds, components } = cardEmbeds(speech.card)
    const ping = speech.mention ? { allowed_mentions: allowed(speech.mention) } : {}
    const content = speech.mention || options?.clearContentForCard ? { content: speech.mention ?? '' } : {}
    const payload = { embeds, components, ...content, ...ping }
    return { payload: payload as never, embedCount: embeds.length, componentCount: components.length }
  }

  private respond(interaction: Interaction, options?: WebhookOptions): Promise<Reply> {
    const exchange = new Exchange(interaction, (...followUp) => this.followUp(...followUp))
    const work = this.currentExchange.run(
      exchange, () => this.handle(exchange, options),
    ).catch(async (error: unknown) => {
      this.logger.error('Discord interaction failed', { error })
      await exchange.say(privately(FAILURE_TEXT)).catch(() => {})
    })
    options?.waitUntil?.(work)
    return exchange.answer(work)
  }

  private async handle(exchange: Exchange, options?: WebhookOptions): Promise<void> {
    const { interaction } = exchange
    const formPlace = parseFormId(interaction.data?.custom_id ?? '')
    if (formPlace || interaction.type === INTERACTION.modal) {
      return exchange.say(await this.modalFlow.answer(interaction, formPlace ?? { id: '', verb: '', tail: '' }))
    }
    if (interaction.type === INTERACTION.command) {
      return this.chat!.processSlashCommand({
        ...commandIn(interaction), adapter: this, channelId: this.threadOf(interaction), user: authorOf(interaction)!,
        raw: withoutSecrets(interaction),
      }, options)
    }
    const tasks: Promise<unknown>[] = []
    this.handleComponentInteraction(withoutSecrets(interaction) as never, {
      ...options,
      waitUntil: task => void tasks.push(task),
      onOpenModal: async (modal, contextId) => {
        await exchange.say(await this.modalFlow.open(contextId, modal, authorOf(interaction)?.userId))
        return { viewId: contextId }
      },
    })
    await Promise.allSettled(tasks)
  }

  private modalEvent({ id, callbackId, privateMetadata }: OpenModal, interaction: Interaction) {
    return {
      adapter: this, callbackId, privateMetadata, viewId: id,
      user: authorOf(interaction)!, threadId: this.threadOf(interaction), raw: withoutSecrets(interaction),
    }
  }

  /** Returns the SDK's thread id for the channel or thread of an event. */
  private threadOf({ guild_id: guildId = '@me', channel_id: id = '', channel }: ChannelFields): string {
    const parent = channel && THREADS.includes(channel.type) ? channel.parent_id : undefined
    return this.encodeThreadId(parent ? { guildId, channelId: parent, threadId: id } : { guildId, channelId: id })
  }

  private async isAuthentic(body: Uint8Array, headers: Headers): Promise<boolean> {
    const timestamp = headers.get('x-signature-timestamp')
    const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_SKEW_S
    return isFresh && this.verifySignature(body, headers.get('x-signature-ed25519'), timestamp)
  }

  /** Answers an interaction. Never rejects: an interaction that is delivered again would take effect twice. */
  private async sendCallback({ id, token }: Interaction, reply: Reply): Promise<void> {
    const path = `/interactions/${id}/${token}/callback`
    await this.discordInteractionFetch(path, 'POST', reply).catch((error: unknown) => {
      this.logger.error('Discord interaction could not be answered', { error })
    })
  }

  private async followUp({ token }: Interaction, method: 'POST' | 'PATCH', data: object): Promise<void> {
    const path = `/webhooks/${this.applicationId}/${token}${method === 'PATCH' ? '/messages/@original' : ''}`
    await this.discordInteractionFetch(path, method, data)
  }
}

type ChannelFields = Pick<Interaction, 'guild_id' | 'channel_id' | 'channel'>

/** Deleted messages that an event lists: https://discord.com/developers/docs/events/gateway-events#message-delete */
function deletedIn({ type, data }: ForwardedEvent): ChannelFields & { ids: string[] } | null {
  const fields = data as ChannelFields & { id?: string, ids?: string[] }
  if (type === 'GATEWAY_MESSAGE_DELETE') return { ...fields, ids: [String(fields.id)] }
  return type === 'GATEWAY_MESSAGE_DELETE_BULK' ? { ...fields, ids: fields.ids ?? [] } : null
}

/** True if this adapter answers the interaction, not the SDK's. */
function isAnswered({ type }: Interaction): boolean {
  return type === INTERACTION.command || type === INTERACTION.component || type === INTERACTION.modal
}

/** Removes the token, and the card with its form data: the SDK stores the interaction with the modal's context. */
function withoutSecrets({ token, message, ...interaction }: Interaction): object {
  return { ...interaction, ...message ? { message: { id: message.id } } : {} }
}

function rejectSignature(): Response {
  return new Response('Invalid signature', { status: 401 })
}
