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

/** A trigger lives 3 s (https://docs.slack.dev/interactivity/handling-user-interaction); this leaves time to say so. */
const OPEN_TIMEOUT_MS = 2500

/** Slack waits 3 s for the answer to a form (https://docs.slack.dev/surfaces/modals). */
const SUBMIT_TIMEOUT_MS = 2500

/** How a press of a button begins; one that begins otherwise is read before its answer. */
const PRESS = 'payload=%7B%22type%22%3A%22block_actions%22'

/** Pause before asking again who the bot is, ms. */
const IDENTITY_RETRY_MS = 5000

/** How long a message waits until the bot knows who it is, ms. */
const IDENTITY_PATIENCE_MS = 5000

/** For so long somebody has the name that Slack gave them last, ms; also how many are remembered. */
const NAME_TTL_MS = 10 * 60 * 1000
const MOST_NAMES = 500

/** Slack through the SDK, with what the SDK makes a reviewer wait for taken out of the way. */
export class FormSlackAdapter extends WorkspacesSlackAdapter {
  private readonly openView: SlackCall
  /** The click that is being handled: at a message of the channel, or at one in a thread. */
  private readonly click = new AsyncLocalStorage<{ isInChannel: boolean }>()
  /** Where the command that is being handled is answered. */
  private readonly command = new AsyncLocalStorage<string>()
  private identifiedAt = 0
  private readonly isSigned: ReturnType<typeof slackVerifier>
  /** Has nothing that could be used up: the same answer serves every press. */
  private readonly taken = new Response(null)
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
    // In the workspace that the webhook being handled is of.
    this.openView = createSlackCall(settings, () => this.getToken(), OPEN_TIMEOUT_MS, http)
  }

  /** The SDK awaits `auth.test` before the first answer; with Slack unreachable every webhook would wait for it. */
  override async initialize(chat: ChatInstance): Promise<void> {
    this.startIdentifying(chat)
  }

  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    if (this.chat && !this.botUserId && Date.now() - this.identifiedAt > IDENTITY_RETRY_MS) {
      this.startIdentifying(this.chat)
    }
    // To learn that it is a press, the SDK decodes the whole card that comes with it.
    if (this.settings.oauth || !isForm(request)) return super.handleWebhook(request, options)
    const body = await request.clone().text()
    const isPress = body.startsWith(PRESS) && this.isSigned(request, body)
    return isPress ? this.handleInteractivePayload(body, options) : super.handleWebhook(request, options)
  }

  /** Cards go out as our rooms send them: literal, whole, and with a short line for notifications. */
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
   * Words for one person appear as they are: of those the SDK sends, Slack makes links and emphasis. And they appear
   * where that person looks: below a card that nobody answered there is no thread, and Slack shows none of them.
   */
  override async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    const answerAt = this.command.getStore()
    const where = this.click.getStore()?.isInChannel ? this.channelIdFromThreadId(threadId) : threadId
    const speech = speechIn(message)
    if (!speech) return super.postEphemeral(where, userId, message)
    if (answerAt) {
      await answerCommand(this.http, answerAt, speech, SLACK_TIMEOUT_MS)
      return { id: '', threadId, usedFallback: false, raw: {} }
    }
    const raw = await this.there(where, () => postEphemeral(this.call, this.decodeThreadId(where), userId, speech))
    return { id: String(raw.message_ts ?? ''), threadId, usedFallback: false, raw }
  }

  /**
   * Of a mention Slack sends two events, and the first one counts: a plain `message` that comes before the bot knows
   * its own id would not be taken for a mention, nor its own messages for its own.
   */
  protected override handleMessageEvent(...[said, options]: Parameters<SlackAdapter['handleMessageEvent']>): void {
    const event = isTombstone(said) ? { ...said, subtype: 'message_deleted', deleted_ts: said.message?.ts } : said
    if (this.botUserId) return super.handleMessageEvent(event, options)
    const identified = withinOrNull(IDENTITY_PATIENCE_MS, this.identified)
    options?.waitUntil?.(identified.then(() => super.handleMessageEvent(event, options)))
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

  /** Somebody's App Home: https://docs.slack.dev/reference/methods/views.publish */
  async showHome(userId: string, message: AdapterPostableMessage): Promise<void> {
    const speech = speechIn(message)
    if (!speech) throw new TypeError('An App Home consists of blocks.')
    const view = { type: 'home', blocks: cardContent(speech).blocks }
    const outcome = await this.call('views.publish', { user_id: userId, view })
    if (!outcome.ok) throw new Error(outcome.reason)
  }

  /**
   * The SDK asks the store each time; who decides one submission decides the next one, too. Of whose id has its
   * workspace before it, that workspace is asked.
   */
  override async getUser(named: string): Promise<UserInfo | null> {
    const [userId = named, team] = named.split(':').reverse()
    if (team) return this.as(team, () => this.getUser(userId))
    const key = this.installationCacheScope() + userId
    const known = this.names.get(key)
    if (known && Date.now() < known.until) return known.user
    const user = await super.getUser(userId)
    if (this.names.size >= MOST_NAMES) this.names.clear()
    if (user) this.names.set(key, { user, until: Date.now() + NAME_TTL_MS })
    return user
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

  /** A press is answered before it is read: nothing that it says changes the answer. */
  protected override handleInteractivePayload(
    ...[body, options]: Parameters<SlackAdapter['handleInteractivePayload']>
  ): Response | Promise<Response> {
    if (!body.startsWith(PRESS)) return super.handleInteractivePayload(body, options)
    this.afterAnswer(options, () => super.handleInteractivePayload(body, options))
    return this.taken
  }

  /** The SDK keeps the click with the modal's context for a day: the form on the clicked card stays out of it. */
  protected override handleBlockActions(...[payload, options]: Parameters<SlackAdapter['handleBlockActions']>): void {
    const { message, state, ...click } = payload as typeof payload & { state?: unknown }
    const bare = { ...click, ...message ? { message: { ts: message.ts, thread_ts: message.thread_ts } } : {} }
    const { ts, thread_ts: thread = payload.container?.thread_ts } = message ?? {}
    const isInChannel = !thread || thread === ts
    this.click.run({ isInChannel }, () => super.handleBlockActions(bare as typeof payload, options))
  }

  /** The SDK asks Slack for the full name before it answers, for which Slack waits 3 s. */
  protected override async handleSlashCommand(
    ...[params, options]: Parameters<SlackAdapter['handleSlashCommand']>
  ): Promise<Response> {
    const answerAt = params.get('response_url') ?? ''
    this.afterAnswer(options, () => this.command.run(answerAt, () => super.handleSlashCommand(params, options)))
    return new Response(null, { status: 200 })
  }

  /** The answer goes first: what a click sets off would otherwise run in the same turn of the event loop, before it. */
  private afterAnswer(options: WebhookOptions | undefined, act: () => unknown): void {
    const task = new Promise(resolve => setImmediate(resolve)).then(act)
    options?.waitUntil?.(task.catch(error => this.logger.error('An interaction could not be handled', { error })))
  }

  /** With the store away the SDK would answer 500, or too late, and Slack would throw away what was typed. */
  protected override async handleViewSubmission(
    ...[payload, options]: Parameters<SlackAdapter['handleViewSubmission']>
  ): Promise<Response> {
    const submitted = super.handleViewSubmission(payload, options)
    const answer = await withinOrNull(SUBMIT_TIMEOUT_MS, submitted).catch(() => null)
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

/** What is left of a message that somebody deleted and others had answered: Slack says that it was changed. */
function isTombstone({ subtype, message }: Parameters<SlackAdapter['handleMessageEvent']>[0]): boolean {
  return subtype === 'message_changed' && (message as { subtype?: string } | undefined)?.subtype === 'tombstone'
}
