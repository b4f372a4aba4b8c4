import { AsyncLocalStorage } from 'node:async_hooks'
import type { SlackAdapter } from '@chat-adapter/slack'
import type {
  AdapterPostableMessage, AgentSessionStatus, ChatInstance, Logger, Message, ModalElement, ModalResponse, RawMessage,
  UserInfo, WebhookOptions,
} from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import type { HttpClient } from '../../ports/http'
import { speechIn } from '../shared/speech'
import { isPlainModal, modalView } from './blocks'
import { SLACK_TIMEOUT_MS, createSlackCall, type SlackCall, type SlackSettings, type MovedChannels } from './client'
import { Sessions } from './sessions'
import { slackVerifier, WorkspacesSlackAdapter } from './workspaces'
import { answerCommand, cardContent, postSpeech, updateSpeech, postEphemeral } from './room'

/**
 * A trigger id expires after 3 s (https://docs.slack.dev/interactivity/handling-user-interaction); this leaves time to
 * report a failure.
 */
const OPEN_TIMEOUT_MS = 2500

/** Slack waits 3 s for the answer to a form (https://docs.slack.dev/surfaces/modals). */
const SUBMIT_TIMEOUT_MS = 2500

/** Start of the body of a button click; any other request is parsed before it is answered. */
const CLICK_PREFIX = 'payload=%7B%22type%22%3A%22block_actions%22'

/** Pause before the bot's identity is requested again, ms. */
const IDENTITY_RETRY_MS = 5000

/** Maximum time a message waits until the bot knows its own id, ms. */
const IDENTITY_WAIT_MS = 5000

/** Time for which a user's name is cached, ms, and the maximum number of cached names. */
const NAME_TTL_MS = 10 * 60 * 1000
const MAX_NAMES = 500

/** Slack through the SDK, without the SDK's steps that make a reviewer wait. */
export class FormSlackAdapter extends WorkspacesSlackAdapter {
  private readonly openView: SlackCall
  /** Tells if the current click is on a message in the channel or on one in a thread. */
  private readonly currentClick = new AsyncLocalStorage<{ isInChannel: boolean }>()
  /** URL that takes the answer to the command being handled. */
  private readonly currentResponseUrl = new AsyncLocalStorage<string>()
  private identifiedAt = 0
  private readonly isSigned: ReturnType<typeof slackVerifier>
  /** Response to every click: it can be reused because it has no body. */
  private readonly emptyResponse = new Response(null)
  private readonly sessions = new Sessions(async (threadId, status) => {
    const { channel, threadTs } = this.decodeThreadId(threadId)
    if (!threadTs) return false
    const session = { channel_id: channel, thread_ts: threadTs, status }
    return (await this.there(threadId, () => this.call('agents.sessions.setStatus', session))).ok
  })

  private readonly names = new Map<string, { user: UserInfo, until: number }>()

  constructor(settings: SlackSettings, logger: Logger, private readonly http: HttpClient, moved: MovedChannels) {
    super(settings, logger, token => createSlackCall(settings, token, SLACK_TIMEOUT_MS, http), moved)
    this.isSigned = slackVerifier(settings.signingSecret)
    // Opens views in the workspace of the current webhook.
    this.openView = createSlackCall(settings, () => this.getToken(), OPEN_TIMEOUT_MS, http)
  }

  /** Does not wait: the SDK awaits `auth.test` first, and with Slack unreachable every webhook would wait for it. */
  override async initialize(chat: ChatInstance): Promise<void> {
    this.startIdentifying(chat)
  }

  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    if (this.chat && !this.botUserId && Date.now() - this.identifiedAt > IDENTITY_RETRY_MS) {
      this.startIdentifying(this.chat)
    }
    // Recognize a click by its first characters: the SDK would first decode the whole card that comes with it.
    if (this.settings.oauth || !isForm(request)) return super.handleWebhook(request, options)
    const body = await request.clone().text()
    const isClick = body.startsWith(CLICK_PREFIX) && this.isSigned(request, body)
    return isClick ? this.handleInteractivePayload(body, options) : super.handleWebhook(request, options)
  }

  /** Sends cards as our rooms do: literal, complete, and with a short line for notifications. */
  override async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    return this.there(threadId, () => speech
      ? postSpeech(this.call, this.decodeThreadId(threadId), speech)
      : super.postMessage(threadId, message))
  }

  override async editMessage(
    threadId: string, messageId: string, message: AdapterPostableMessage,
  ): Promise<RawMessage<unknown>> {
    const speech = speechIn(message)
    return this.there(threadId, () => speech
      ? updateSpeech(this.call, this.decodeThreadId(threadId), messageId, speech)
      : super.editMessage(threadId, messageId, message))
  }

  /**
   * Sends a private message literally: Slack turns parts of the SDK's text into links and emphasis. Posts it where the
   * person sees it: a card without replies has no thread, and Slack would not show the message there.
   */
  override async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const responseUrl = this.currentResponseUrl.getStore()
    const target = this.currentClick.getStore()?.isInChannel ? this.channelIdFromThreadId(threadId) : threadId
    const speech = speechIn(message)
    if (!speech) return super.postEphemeral(target, userId, message)
    if (responseUrl) {
      await answerCommand(this.http, responseUrl, speech, SLACK_TIMEOUT_MS)
      return { id: '', threadId, usedFallback: false, raw: {} }
    }
    const raw = await this.there(target, () => postEphemeral(this.call, this.decodeThreadId(target), userId, speech))
    return { id: String(raw.message_ts ?? ''), threadId, usedFallback: false, raw }
  }

  /**
   * Waits until the bot knows its own id. Slack sends two events for a mention, and only the first one counts: without
   * the id, the bot would recognize neither a mention in a plain `message` nor its own messages.
   */
  protected override handleMessageEvent(...[source, options]: Parameters<SlackAdapter['handleMessageEvent']>): void {
    const event = isTombstone(source)
      ? { ...source, subtype: 'message_deleted', deleted_ts: source.message?.ts }
      : source
    if (this.botUserId) return super.handleMessageEvent(event, options)
    const identification = withinOrNull(IDENTITY_WAIT_MS, this.identified)
    options?.waitUntil?.(identification.then(() => super.handleMessageEvent(event, options)))
  }

  override startTyping(threadId: string): Promise<void> {
    return this.sessions.begin(threadId)
  }

  override endTyping(threadId: string, status?: AgentSessionStatus): Promise<void> {
    return this.sessions.end(threadId, status)
  }

  override stream(...args: Parameters<SlackAdapter['stream']>): ReturnType<SlackAdapter['stream']> {
    return super.stream(...args).finally(() => this.sessions.end(args[0]))
  }

  /** Publishes a user's App Home: https://docs.slack.dev/reference/methods/views.publish */
  async showHome(userId: string, message: AdapterPostableMessage): Promise<void> {
    const speech = speechIn(message)
    if (!speech) throw new TypeError('The Slack App Home can show only blocks.')
    const view = { type: 'home', blocks: cardContent(speech).blocks }
    const outcome = await this.call('views.publish', { user_id: userId, view })
    if (!outcome.ok) throw new Error(outcome.reason)
  }

  /**
   * Caches users: the SDK asks the store each time, and a reviewer often decides several submissions in a row. An id
   * with a workspace in front is looked up in that workspace.
   */
  override async getUser(name: string): Promise<UserInfo | null> {
    const [userId = name, team] = name.split(':').reverse()
    if (team) return this.as(team, () => this.getUser(userId))
    const key = this.installationCacheScope() + userId
    const entry = this.names.get(key)
    if (entry && Date.now() < entry.until) return entry.user
    const user = await super.getUser(userId)
    if (this.names.size >= MAX_NAMES) this.names.clear()
    if (user) this.names.set(key, { user, until: Date.now() + NAME_TTL_MS })
    return user
  }

  /** Fetches nothing during a click: the clicked message came with it, and a request would use up the trigger's 3 s. */
  override async fetchMessage(threadId: string, messageId: string): Promise<Message<unknown> | null> {
    return this.currentClick.getStore() ? null : super.fetchMessage(threadId, messageId)
  }

  override async openModal(triggerId: string, modal: ModalElement, contextId?: string): Promise<{ viewId: string }> {
    if (!isPlainModal(modal)) return super.openModal(triggerId, modal, contextId)
    const outcome = await this.openView('views.open', { trigger_id: triggerId, view: modalView(modal, contextId) })
    if (!outcome.ok) throw new Error(outcome.reason)
    return { viewId: String((outcome.value.view as { id?: string } | undefined)?.id ?? '') }
  }

  /** Answers a click before it is parsed: nothing in it changes the answer. */
  protected override handleInteractivePayload(
    ...[body, options]: Parameters<SlackAdapter['handleInteractivePayload']>
  ): Response | Promise<Response> {
    if (!body.startsWith(CLICK_PREFIX)) return super.handleInteractivePayload(body, options)
    this.afterAnswer(options, () => super.handleInteractivePayload(body, options))
    return this.emptyResponse
  }

  /** Removes the form's data from the clicked card: the SDK stores the click with the modal's context for a day. */
  protected override handleBlockActions(...[payload, options]: Parameters<SlackAdapter['handleBlockActions']>): void {
    const { message, state, ...click } = payload as typeof payload & { state?: unknown }
    const minimalClick = { ...click, ...message ? { message: { ts: message.ts, thread_ts: message.thread_ts } } : {} }
    const { ts, thread_ts: thread = payload.container?.thread_ts } = message ?? {}
    const isInChannel = !thread || thread === ts
    this.currentClick.run({ isInChannel }, () => super.handleBlockActions(minimalClick as typeof payload, options))
  }

  /** Answers first: the SDK would request the user's full name before, and Slack waits only 3 s. */
  protected override async handleSlashCommand(
    ...[params, options]: Parameters<SlackAdapter['handleSlashCommand']>
  ): Promise<Response> {
    const responseUrl = params.get('response_url') ?? ''
    this.afterAnswer(options, () => (
      this.currentResponseUrl.run(responseUrl, () => super.handleSlashCommand(params, options))
    ))
    return new Response(null, { status: 200 })
  }

  /** Calls `run` after the response is sent; otherwise it would run before it, in the same turn of the event loop. */
  private afterAnswer(options: WebhookOptions | undefined, run: () => unknown): void {
    const task = new Promise(resolve => setImmediate(resolve)).then(run)
    options?.waitUntil?.(task.catch(error => this.logger.error('An interaction could not be handled', { error })))
  }

  /**
   * Shows an error if the store is unavailable: the SDK would answer 500 or too late, and Slack would drop the input.
   */
  protected override async handleViewSubmission(
    ...[payload, options]: Parameters<SlackAdapter['handleViewSubmission']>
  ): Promise<Response> {
    for (const inputs of Object.values(payload.view.state.values)) Object.values(inputs).forEach(joinChoices)
    const handling = super.handleViewSubmission(payload, options)
    const answer = await withinOrNull(SUBMIT_TIMEOUT_MS, handling).catch(() => null)
    if (answer) return answer
    const [firstInput = 'none'] = Object.keys(payload.view.state.values)
    return Response.json({ response_action: 'errors', errors: {
      [firstInput]: 'This could not be saved. Nothing is lost: press the button again in a moment.',
    } })
  }

  protected override modalResponseToSlack(
    response: ModalResponse, contextId?: string,
  ): ReturnType<SlackAdapter['modalResponseToSlack']> {
    if (response.action !== 'update' || !isPlainModal(response.modal)) {
      return super.modalResponseToSlack(response, contextId)
    }
    return { response_action: 'update', view: modalView(response.modal, contextId) as never }
  }

  private startIdentifying(chat: ChatInstance): void {
    this.identifiedAt = Date.now()
    this.identified = this.identify(chat)
  }
}

function isForm({ headers }: Request): boolean {
  return headers.get('content-type')?.includes('application/x-www-form-urlencoded') === true
}

/** Joins several choices into one value, one per line: the SDK reads only a single choice. */
function joinChoices(input: { value?: string, selected_options?: readonly { value: string }[] }): void {
  if (input.selected_options) input.value = input.selected_options.map(({ value }) => value).join('\n')
}

/** True for the remainder of a deleted message that had replies: Slack reports it as a changed message. */
function isTombstone({ subtype, message }: Parameters<SlackAdapter['handleMessageEvent']>[0]): boolean {
  return subtype === 'message_changed' && (message as { subtype?: string } | undefined)?.subtype === 'tombstone'
}
