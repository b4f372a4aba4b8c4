import { createHmac, timingSafeEqual } from 'node:crypto'
import { SlackAdapter, type SlackAdapterConfig } from '@chat-adapter/slack'
import type { ChatInstance, Logger } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import {
  type SlackCall, type SlackSettings, type TokenOf, SLACK_TIMEOUT_MS, type MovedChannels, placeOf,
} from './client'
import { SlackConnect } from './connect'
import { beginWithWords } from './streams'

/** Maximum time a webhook of a workspace without an installation waits until Slack says which workspace is ours, ms. */
const HOME_PATIENCE_MS = 1500

/** How long a channel's workspace is remembered, ms; longer than anything waits for a person. */
const PLACE_TTL_MS = 30 * 24 * 60 * 60 * 1000

type Interaction = { view?: { app_installed_team_id?: string } } & Record<string, unknown>

/** Fields that name the actor's workspace in clicks, forms, commands and messages; messages have plain ids. */
interface Acted {
  user?: string | { team_id?: string }
  team?: string | { id?: string } | null
  team_id?: string
  user_team?: string
  source_team?: string
}

/** Message that somebody wrote; in shared channels, Slack sometimes omits the author's workspace. */
interface Written extends Acted { type: string, bot_id?: string, channel?: unknown }

type EventContext = Exclude<Awaited<ReturnType<SlackAdapter['resolveEventRequestContext']>>, string>

/** Events that report that a token is no longer valid. */
interface Goodbye { type: string, tokens?: { bot?: string[] } }

/**
 * Slack for one workspace with its own token, and for the workspaces that installed the app. The SDK supports only one
 * of these: if other workspaces may install the app, ours is added to them, and its token is not looked up.
 */
export class WorkspacesSlackAdapter extends SlackAdapter {
  /** Id of the workspace of CHAT_BOT_TOKEN, once Slack has answered; requested only if others may install the app. */
  private home: string | undefined
  private readonly homeCall: SlackCall
  private readonly shared: SlackConnect
  /** Times at which channels of other workspaces were last stored, epoch ms. */
  private readonly remembered = new Map<string, number>()
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
    this.shared = new SlackConnect(this.call, () => this.installationCacheScope())
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
    await this.knowHome()
    return [...team === this.home ? [channel] : [], `${team}:${channel}`]
  }

  /** Ids of the acting person as the configuration may name them; people of other workspaces have only the second. */
  idsOf(userId: string, payload: unknown): string[] {
    const own = workspaceOf(payload as Acted) ?? this.requestContext.getStore()?.teamId
    const isForeign = this.settings.oauth !== undefined && own !== this.home
    return [...isForeign ? [] : [userId], ...own ? [`${own}:${userId}`] : []]
  }

  /** Like `idsOf`, for a person whom a message names: in a shared channel, its author may be of another workspace. */
  async idsOfMentioned(userId: string, message: unknown): Promise<string[]> {
    if (!this.settings.oauth) return this.idsOf(userId, message)
    const { channel = '' } = message as { channel?: string }
    const team = await this.there(this.encodeThreadId({ channel, threadTs: '' }), () => this.shared.teamOf(userId))
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

  /** Acts as the workspace of the thread, even if no webhook is being handled that names it. */
  protected async there<T>(threadId: string, speak: () => Promise<T>): Promise<T> {
    if (!this.settings.oauth || !this.chat) return speak()
    const key = `slack:workspace:${this.decodeThreadId(threadId).channel}`
    const here = this.requestContext.getStore()
    if (here) {
      const elsewhere = here.installationId !== undefined && here.installationId !== this.home
      const now = Date.now()
      if (elsewhere && now - (this.remembered.get(key) ?? 0) > PLACE_TTL_MS / 2) {
        await this.chat.getState().set(key, here.installationId, PLACE_TTL_MS).then(
          () => this.remembered.set(key, now), () => { /* The next message stores it. */ },
        )
      }
      return speak()
    }
    const team = await this.chat.getState().get<string>(key)
    return team ? this.as(team, speak) : speak()
  }

  /** Acts as the workspace if it has installed the app. */
  protected async as<T>(team: string, act: () => Promise<T>): Promise<T> {
    const bot = await this.resolveTokenForTeam(team)
    return bot ? this.requestContext.run({ ...bot, installationId: team }, act) : act()
  }

  /** Token of the current webhook's workspace; without a webhook, our own. */
  protected override async getToken(): Promise<string> {
    return this.requestContext.getStore()?.token ?? this.settings.botToken
  }

  /** Requests the bot's identity. Sets `chat` before its first await, and only logs when Slack does not answer. */
  protected identify(chat: ChatInstance): Promise<void> {
    const identified = super.initialize(chat)
    return this.settings.oauth ? identified.then(() => this.identifyHome()) : identified
  }

  /**
   * Resolves with null for an unknown workspace, from which nothing is accepted.
   *
   * @throws if the store fails or Slack does not say which workspace is ours: Slack then sends the webhook again
   */
  protected override async resolveTokenForTeam(team: string): Promise<{ token: string, botUserId?: string } | null> {
    const own = { token: this.settings.botToken, botUserId: this._botUserId ?? undefined }
    if (!this.settings.oauth || team === this.home) return own
    const installation = await this.getInstallation(team)
    if (installation) return { token: installation.botToken, botUserId: installation.botUserId }
    await this.knowHome()
    if (!this.home) throw new Error('Slack does not say which workspace CHAT_BOT_TOKEN is of.')
    return team === this.home ? own : null
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
    const event = payload.event as Goodbye | undefined
    const moved = event && await this.moved.follow(event, this.chat!.getState())
    if (moved) this.logger.warn(`Slack has another id for a channel: change ${moved.from} to ${moved.to}`)
    const gone = event?.type === 'app_uninstalled'
      || (event?.type === 'tokens_revoked' && Boolean(event.tokens?.bot?.length))
    if (!this.settings.oauth || !gone || !payload.team_id) {
      const context = await super.resolveEventRequestContext(payload)
      return payload.is_ext_shared_channel && typeof context === 'object'
        ? this.inShared(payload.event as Written, context)
        : context
    }
    await this.deleteInstallation(payload.team_id)
    return 'unresolved'
  }

  /**
   * Finds the workspace that an event of a shared channel is for. If several workspaces have the app, Slack sends the
   * event once and names any of them; it is for the one in which the channel is configured. The SDK assumes that the
   * author is of the envelope's workspace, which may be either.
   */
  private async inShared(event: Written, context: EventContext): Promise<EventContext> {
    const owner = await this.ownerOf(event.channel, context.installationId)
    const here = owner ?? context
    const isSaid = ['message', 'app_mention'].includes(event.type) && typeof event.user === 'string' && !event.bot_id
    if (isSaid && workspaceOf(event) === undefined) {
      // Empty if Slack does not answer: the author may be of any workspace.
      event.team = await this.requestContext.run(here, () => this.shared.teamOf(event.user as string)) ?? ''
    }
    return here
  }

  /** Workspace in which the channel is configured, if Slack says that it shares the channel with the other one. */
  private async ownerOf(channel: unknown, other: string | undefined): Promise<EventContext | null> {
    const { channels = [], channelId } = this.settings
    const configured = this.moved.configured(String(channel))
    const place = [channelId ?? [], channels].flat().map(placeOf).find(place => place.channel === configured)
    if (!place || !other) return null
    await this.knowHome()
    const team = place.team ?? this.home
    if (team === undefined || team === other) return null
    const bot = await this.resolveTokenForTeam(team)
    if (!bot) return null
    const owner = { ...bot, installationId: team, teamId: team, isEnterpriseInstall: false }
    const isSame = await this.requestContext.run(owner, () => this.shared.isShared(channel as string, other))
    return isSame ? owner : null
  }

  private async knowHome(): Promise<void> {
    // After a failure, the workspace stays unknown.
    if (!this.home) await withinOrNull(HOME_PATIENCE_MS, this.identified).catch(() => {})
  }

  private async identifyHome(): Promise<void> {
    const outcome = await this.homeCall('auth.test', {})
    if (!outcome.ok) return this.logger.warn('Could not fetch bot user ID', { reason: outcome.reason })
    const { team_id, user_id, bot_id } = outcome.value
    this.home = String(team_id)
    this._botUserId = String(user_id)
    this._botId = bot_id ? String(bot_id) : null
  }
}

/** In a shared channel, `team` is the workspace that Slack notifies; `user_team` is the author's. */
function workspaceOf({ user, team, ...ids }: Acted): string | undefined {
  const pressed = typeof user === 'object' ? user.team_id : undefined
  const told = typeof team === 'string' ? team : team?.id
  return pressed ?? ids.user_team ?? ids.source_team ?? told ?? ids.team_id
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

/**
 * True if Slack has just signed the request. Checks the same as the SDK, but synchronously: Web Crypto imports the key
 * for each request and answers from another thread, while a person waits for their click.
 */
export function slackVerifier(signingSecret: string): (request: Request, body: string) => boolean {
  return ({ headers }, body) => {
    const timestamp = headers.get('x-slack-request-timestamp') ?? ''
    const age = Math.abs(Date.now() / 1000 - Number(timestamp))
    if (!(age <= MAX_SKEW_S)) return false
    const expected = `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`
    const given = headers.get('x-slack-signature') ?? ''
    return given.length === expected.length
      && timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1'))
  }
}
