import { createHmac, timingSafeEqual } from 'node:crypto'
import { SlackAdapter, type SlackAdapterConfig } from '@chat-adapter/slack'
import type { ChatInstance, Logger } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import {
  type SlackCall, type SlackSettings, type TokenOf, SLACK_TIMEOUT_MS, type MovedChannels, placeOf,
} from './client'
import { SlackConnect } from './connect'
import { beginWithWords } from './streams'

/**
 * Maximum wait of a webhook from a workspace without an installation, ms: Slack must first say which workspace is ours.
 */
const HOME_WAIT_MS = 1500

/** Time for which a channel's workspace is remembered, ms; longer than anything waits for a person. */
const CHANNEL_TTL_MS = 30 * 24 * 60 * 60 * 1000

type Interaction = { view?: { app_installed_team_id?: string } } & Record<string, unknown>

/** Fields that name the actor's workspace in clicks, forms, commands and messages; messages have plain ids. */
interface ActorFields {
  user?: string | { team_id?: string }
  team?: string | { id?: string } | null
  team_id?: string
  user_team?: string
  source_team?: string
}

/** Message that somebody wrote; in shared channels, Slack sometimes omits the author's workspace. */
interface AuthoredMessage extends ActorFields { type: string, bot_id?: string, channel?: unknown }

type EventContext = Exclude<Awaited<ReturnType<SlackAdapter['resolveEventRequestContext']>>, string>

/** Events that report that a token is no longer valid. */
interface RemovalEvent { type: string, tokens?: { bot?: string[] } }

/**
 * Slack for one workspace with its own token, and for the workspaces that installed the app. The SDK supports only one
 * of these cases. If other workspaces may install the app, ours counts as one of them, but its token is not looked up.
 */
export class WorkspacesSlackAdapter extends SlackAdapter {
  /** Id of the workspace of CHAT_BOT_TOKEN, once Slack has answered; requested only if others may install the app. */
  private homeTeam: string | undefined
  private readonly homeCall: SlackCall
  private readonly directory: SlackConnect
  /** Times at which channels of other workspaces were last stored, epoch ms. */
  private readonly storedAtByKey = new Map<string, number>()
  protected identified: Promise<unknown> = Promise.resolve()

  /** Calls Slack in the workspace of the current webhook. */
  protected readonly call: SlackCall

  constructor(
    protected readonly settings: SlackSettings, logger: Logger,
    callAs: (token: TokenOf) => SlackCall, private readonly moved: MovedChannels,
  ) {
    const { botToken, signingSecret, apiUrl, oauth } = settings
    super({
      ...oauth ?? { botToken }, webhookVerifier: slackVerifier(signingSecret), apiUrl, logger,
      webClientOptions: WEB_CLIENT,
    } satisfies SlackAdapterConfig)
    beginWithWords(this._client, logger)
    this.homeCall = callAs(() => botToken)
    this.call = callAs(() => this.getToken())
    this.directory = new SlackConnect(this.call, () => this.installationCacheScope())
  }

  /** Returns the token of a workspace that installed the app; null for others. */
  async tokenOf(team: string): Promise<string | null> {
    return (await this.resolveTokenForTeam(team))?.token ?? null
  }

  /**
   * Returns the current webhook's channel under every name that the configuration may use: `C…` in our own workspace,
   * and with the workspace's id in any.
   */
  async channelsHere(threadId: string): Promise<string[]> {
    const channel = await this.moved.findConfigured(this.decodeThreadId(threadId).channel, this.chat!.getState())
    if (!this.settings.oauth) return [channel]
    const team = this.requestContext.getStore()?.installationId
    if (!team) return []
    await this.waitForHome()
    return [...team === this.homeTeam ? [channel] : [], `${team}:${channel}`]
  }

  /**
   * Ids by which the configuration may name the actor: plain, and with the workspace. People of other workspaces have
   * only the second.
   */
  idsOf(userId: string, payload: unknown): string[] {
    const team = workspaceOf(payload as ActorFields) ?? this.requestContext.getStore()?.teamId
    const isForeign = this.settings.oauth !== undefined && team !== this.homeTeam
    return [...isForeign ? [] : [userId], ...team ? [`${team}:${userId}`] : []]
  }

  /** Like `idsOf`, for a mentioned person: in a shared channel, the message's author may be of another workspace. */
  async idsOfMentioned(userId: string, message: unknown): Promise<string[]> {
    if (!this.settings.oauth) return this.idsOf(userId, message)
    const { channel = '' } = message as { channel?: string }
    const team = await this.there(this.encodeThreadId({ channel, threadTs: '' }), () => this.directory.teamOf(userId))
    return this.idsOf(userId, team === undefined ? message : { team_id: team })
  }

  override stream(...args: Parameters<SlackAdapter['stream']>): ReturnType<SlackAdapter['stream']> {
    return this.there(args[0], () => super.stream(...args))
  }

  /** Reads as the bot in the thread: another bot would not see the thread, nor recognize its own messages. */
  override fetchMessages(
    ...args: Parameters<SlackAdapter['fetchMessages']>
  ): ReturnType<SlackAdapter['fetchMessages']> {
    return this.there(args[0], () => super.fetchMessages(...args))
  }

  /** Calls `run` as the thread's workspace, even outside a webhook that names it. */
  protected async there<T>(threadId: string, run: () => Promise<T>): Promise<T> {
    if (!this.settings.oauth || !this.chat) return run()
    const key = `slack:workspace:${this.decodeThreadId(threadId).channel}`
    const context = this.requestContext.getStore()
    if (context) {
      const isForeign = context.installationId !== undefined && context.installationId !== this.homeTeam
      const now = Date.now()
      if (isForeign && now - (this.storedAtByKey.get(key) ?? 0) > CHANNEL_TTL_MS / 2) {
        await this.chat.getState().set(key, context.installationId, CHANNEL_TTL_MS).then(
          () => this.storedAtByKey.set(key, now), () => { /* The next message stores it. */ },
        )
      }
      return run()
    }
    const team = await this.chat.getState().get<string>(key)
    return team ? this.as(team, run) : run()
  }

  /** Calls `run` as the workspace, if the workspace has installed the app. */
  protected async as<T>(team: string, run: () => Promise<T>): Promise<T> {
    const bot = await this.resolveTokenForTeam(team)
    return bot ? this.requestContext.run({ ...bot, installationId: team }, run) : run()
  }

  /** Token of the current webhook's workspace; without a webhook, our own. */
  protected override async getToken(): Promise<string> {
    return this.requestContext.getStore()?.token ?? this.settings.botToken
  }

  /** Requests the bot's identity. Sets `chat` before its first await, and only logs when Slack does not answer. */
  protected identify(chat: ChatInstance): Promise<void> {
    const identification = super.initialize(chat)
    return this.settings.oauth ? identification.then(() => this.identifyHome()) : identification
  }

  /**
   * Resolves with null for an unknown workspace, from which nothing is accepted.
   *
   * @throws if the store fails or Slack does not say which workspace is ours: Slack then sends the webhook again
   */
  protected override async resolveTokenForTeam(team: string): Promise<{ token: string, botUserId?: string } | null> {
    const homeBot = { token: this.settings.botToken, botUserId: this._botUserId ?? undefined }
    if (!this.settings.oauth || team === this.homeTeam) return homeBot
    const installation = await this.getInstallation(team)
    if (installation) return { token: installation.botToken, botUserId: installation.botUserId }
    await this.waitForHome()
    if (!this.homeTeam) throw new Error('Slack does not say which workspace CHAT_BOT_TOKEN is of.')
    return team === this.homeTeam ? homeBot : null
  }

  /** Takes the workspace from the view: in a shared channel, the form may be submitted from another one. */
  protected override extractInstallationFromInteractivePayload(
    payload: Interaction,
  ): ReturnType<SlackAdapter['extractInstallationFromInteractivePayload']> {
    const installedIn = payload.view?.app_installed_team_id
    return super.extractInstallationFromInteractivePayload(
      installedIn ? { ...payload, team: { id: installedIn } } : payload,
    )
  }

  /**
   * Forgets a workspace, or stores a channel's new id, before the event is acknowledged: if that fails, Slack sends it
   * again.
   */
  protected override async resolveEventRequestContext(
    ...[payload]: Parameters<SlackAdapter['resolveEventRequestContext']>
  ): ReturnType<SlackAdapter['resolveEventRequestContext']> {
    const event = payload.event as RemovalEvent | undefined
    const move = event && await this.moved.follow(event, this.chat!.getState())
    if (move) this.logger.warn(`Slack has another id for a channel: change ${move.from} to ${move.to}`)
    const isRemoved = event?.type === 'app_uninstalled'
      || (event?.type === 'tokens_revoked' && Boolean(event.tokens?.bot?.length))
    if (!this.settings.oauth || !isRemoved || !payload.team_id) {
      const context = await super.resolveEventRequestContext(payload)
      return payload.is_ext_shared_channel && typeof context === 'object'
        ? this.resolveSharedContext(payload.event as AuthoredMessage, context)
        : context
    }
    await this.deleteInstallation(payload.team_id)
    return 'unresolved'
  }

  /**
   * Finds the workspace that an event of a shared channel is for: the one in which the channel is configured. If
   * several workspaces have the app, Slack sends the event once and names any of them. The SDK assumes that the author
   * belongs to the named workspace, which may be wrong.
   */
  private async resolveSharedContext(event: AuthoredMessage, context: EventContext): Promise<EventContext> {
    const owner = await this.findOwner(event.channel, context.installationId)
    const target = owner ?? context
    const isAuthored = ['message', 'app_mention'].includes(event.type)
      && typeof event.user === 'string' && !event.bot_id
    if (isAuthored && workspaceOf(event) === undefined) {
      // Empty if Slack does not answer: the author may be of any workspace.
      event.team = await this.requestContext.run(target, () => this.directory.teamOf(event.user as string)) ?? ''
    }
    return target
  }

  /** Workspace in which the channel is configured, if Slack says that `otherTeam` shares the channel. */
  private async findOwner(channel: unknown, otherTeam: string | undefined): Promise<EventContext | null> {
    const { channels = [], channelId } = this.settings
    const configuredId = this.moved.configured(String(channel))
    const place = [channelId ?? [], channels].flat().map(placeOf).find(place => place.channel === configuredId)
    if (!place || !otherTeam) return null
    await this.waitForHome()
    const team = place.team ?? this.homeTeam
    if (team === undefined || team === otherTeam) return null
    const bot = await this.resolveTokenForTeam(team)
    if (!bot) return null
    const owner = { ...bot, installationId: team, teamId: team, isEnterpriseInstall: false }
    const isShared = await this.requestContext.run(owner, () => this.directory.isShared(channel as string, otherTeam))
    return isShared ? owner : null
  }

  private async waitForHome(): Promise<void> {
    // After a failure, the workspace stays unknown.
    if (!this.homeTeam) await withinOrNull(HOME_WAIT_MS, this.identified).catch(() => {})
  }

  private async identifyHome(): Promise<void> {
    const outcome = await this.homeCall('auth.test', {})
    if (!outcome.ok) return this.logger.warn('Could not fetch bot user ID', { reason: outcome.reason })
    const { team_id, user_id, bot_id } = outcome.value
    this.homeTeam = String(team_id)
    this._botUserId = String(user_id)
    this._botId = bot_id ? String(bot_id) : null
  }
}

/** In a shared channel, `team` is the workspace that Slack notifies; `user_team` is the author's. */
function workspaceOf({ user, team, ...ids }: ActorFields): string | undefined {
  const clickTeam = typeof user === 'object' ? user.team_id : undefined
  const namedTeam = typeof team === 'string' ? team : team?.id
  return clickTeam ?? ids.user_team ?? ids.source_team ?? namedTeam ?? ids.team_id
}

/** Options of Slack's own client, which the SDK uses. */
const WEB_CLIENT: SlackAdapterConfig['webClientOptions'] = {
  // By default it retries for 30 minutes.
  timeout: SLACK_TIMEOUT_MS, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true,
  // By default it connects directly, past the proxy that everything else uses.
  requestInterceptor: request => ({ ...request, proxy: undefined }),
  // By default it writes warnings to the console as plain text; failures are thrown, and logged elsewhere.
  logger: {
    debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, setLevel: () => {},
    getLevel: () => 'error' as never, setName: () => {},
  },
}

/**
 * Maximum age of a request, s; older ones may be replayed
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack).
 */
const MAX_SKEW_S = 300

/** Requests made from what came through the socket that this process opened */
const fromSocket = new WeakSet<Request>()

/** Makes the adapter accept this request without a signature. */
export function trust(request: Request): void {
  fromSocket.add(request)
}

/**
 * True if Slack has just signed the request, or its content came through our socket. Without a secret, no request from
 * outside is accepted. Checks the same as the SDK, but synchronously: Web Crypto imports the key
 * for each request and answers from another thread, while a person waits for their click.
 */
export function slackVerifier(signingSecret: string | undefined): (request: Request, body: string) => boolean {
  return (request, body) => {
    if (fromSocket.has(request)) return true
    if (!signingSecret) return false
    const { headers } = request
    const timestamp = headers.get('x-slack-request-timestamp') ?? ''
    const ageS = Math.abs(Date.now() / 1000 - Number(timestamp))
    if (!(ageS <= MAX_SKEW_S)) return false
    const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')
    const expectedSignature = `v0=${digest}`
    const signature = headers.get('x-slack-signature') ?? ''
    return signature.length === expectedSignature.length
      && timingSafeEqual(Buffer.from(signature, 'latin1'), Buffer.from(expectedSignature, 'latin1'))
  }
}
