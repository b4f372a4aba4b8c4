import { createHmac, timingSafeEqual } from 'node:crypto'
import { SlackAdapter, type SlackAdapterConfig } from '@chat-adapter/slack'
import type { ChatInstance, Logger } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import {
  type SlackCall, type SlackSettings, type TokenOf, SLACK_TIMEOUT_MS, type MovedChannels, placeOf,
} from './client'
import { SlackConnect } from './connect'
import { beginWithWords } from './streams'

/** How long a webhook of a workspace that did not install the app waits for Slack to say whether it is ours, ms. */
const HOME_PATIENCE_MS = 1500

/** How long it is remembered which workspace a channel is in, ms; longer than anything waits for a person. */
const PLACE_TTL_MS = 30 * 24 * 60 * 60 * 1000

type Interaction = { view?: { app_installed_team_id?: string } } & Record<string, unknown>

/** What tells the workspace of who acts: a press or a form, a command, or a message, which has ids in their places. */
interface Acted {
  user?: string | { team_id?: string }
  team?: string | { id?: string } | null
  team_id?: string
  user_team?: string
  source_team?: string
}

/** What somebody wrote; of some that comes from a shared channel, Slack does not tell which workspace they are of. */
interface Written extends Acted { type: string, bot_id?: string, channel?: unknown }

type EventContext = Exclude<Awaited<ReturnType<SlackAdapter['resolveEventRequestContext']>>, string>

/** The events by which Slack tells that a token is worth nothing any more. */
interface Goodbye { type: string, tokens?: { bot?: string[] } }

/**
 * Slack for one workspace with a token of its own, and for those that installed the app. The SDK knows one or the
 * other: with workspaces to install, ours is a further one, whose token is not looked up.
 */
export class WorkspacesSlackAdapter extends SlackAdapter {
  /** Id of the workspace of CHAT_BOT_TOKEN, once Slack said it; not asked for while nobody else installs the app. */
  private home: string | undefined
  private readonly homeCall: SlackCall
  private readonly shared: SlackConnect
  /** When channels of other workspaces were last put on record, epoch ms. */
  private readonly remembered = new Map<string, number>()
  protected identified: Promise<unknown> = Promise.resolve()

  /** Calls in the workspace that the webhook being handled is of. */
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

  /** The token of a workspace that installed the app; null for others. */
  async tokenOf(team: string): Promise<string | null> {
    return (await this.resolveTokenForTeam(team))?.token ?? null
  }

  /**
   * The channel that the webhook being handled is about, by every name that the configuration may give it: `C…` in our
   * own workspace, and with the workspace's id in any.
   */
  async channelsHere(threadId: string): Promise<string[]> {
    const channel = await this.moved.findConfigured(this.decodeThreadId(threadId).channel, this.chat!.getState())
    if (!this.settings.oauth) return [channel]
    const team = this.requestContext.getStore()?.installationId
    if (!team) return []
    await this.knowHome()
    return [...team === this.home ? [channel] : [], `${team}:${channel}`]
  }

  /** Ids of who acts, as the configuration has them; people of other workspaces have only the second. */
  idsOf(userId: string, payload: unknown): string[] {
    const own = workspaceOf(payload as Acted) ?? this.requestContext.getStore()?.teamId
    const isForeign = this.settings.oauth !== undefined && own !== this.home
    return [...isForeign ? [] : [userId], ...own ? [`${own}:${userId}`] : []]
  }

  /** As `idsOf`, of somebody whom a message names: in a channel that workspaces share, its author may be of another. */
  async idsOfMentioned(userId: string, message: unknown): Promise<string[]> {
    if (!this.settings.oauth) return this.idsOf(userId, message)
    const { channel = '' } = message as { channel?: string }
    const team = await this.there(this.encodeThreadId({ channel, threadTs: '' }), () => this.shared.teamOf(userId))
    return this.idsOf(userId, team === undefined ? message : { team_id: team })
  }

  override stream(...args: Parameters<SlackAdapter['stream']>): ReturnType<SlackAdapter['stream']> {
    return this.there(args[0], () => super.stream(...args))
  }

  /** As the bot that is in the thread: another one would not be shown it, nor know its own words. */
  override fetchMessages(
    ...args: Parameters<SlackAdapter['fetchMessages']>
  ): ReturnType<SlackAdapter['fetchMessages']> {
    return this.there(args[0], () => super.fetchMessages(...args))
  }

  /** Speaks as the workspace of the thread, also when no webhook is being handled that says which one it is. */
  protected async there<T>(threadId: string, speak: () => Promise<T>): Promise<T> {
    if (!this.settings.oauth || !this.chat) return speak()
    const key = `slack:workspace:${this.decodeThreadId(threadId).channel}`
    const here = this.requestContext.getStore()
    if (here) {
      const elsewhere = here.installationId !== undefined && here.installationId !== this.home
      const now = Date.now()
      if (elsewhere && now - (this.remembered.get(key) ?? 0) > PLACE_TTL_MS / 2) {
        await this.chat.getState().set(key, here.installationId, PLACE_TTL_MS).then(
          () => this.remembered.set(key, now), () => { /* The next words remember it. */ },
        )
      }
      return speak()
    }
    const team = await this.chat.getState().get<string>(key)
    return team ? this.as(team, speak) : speak()
  }

  /** As the workspace, if that has installed the app. */
  protected async as<T>(team: string, act: () => Promise<T>): Promise<T> {
    const bot = await this.resolveTokenForTeam(team)
    return bot ? this.requestContext.run({ ...bot, installationId: team }, act) : act()
  }

  /** Of the webhook that is being handled; without one, our own. */
  protected override async getToken(): Promise<string> {
    return this.requestContext.getStore()?.token ?? this.settings.botToken
  }

  /** Finds out who the bot is. Sets `chat` before its first await, and only logs when Slack does not answer. */
  protected identify(chat: ChatInstance): Promise<void> {
    const identified = super.initialize(chat)
    return this.settings.oauth ? identified.then(() => this.identifyHome()) : identified
  }

  /**
   * Of a workspace that is not known nothing is taken.
   *
   * @throws when the store, or Slack, does not say who it is: Slack then sends it again
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

  /** In a channel that two workspaces share, a form may be sent from the other one: the view says who opened it. */
  protected override extractInstallationFromInteractivePayload(
    payload: Interaction,
  ): ReturnType<SlackAdapter['extractInstallationFromInteractivePayload']> {
    const installedIn = payload.view?.app_installed_team_id
    return super.extractInstallationFromInteractivePayload(
      installedIn ? { ...payload, team: { id: installedIn } } : payload,
    )
  }

  /**
   * Forgets a workspace, and learns another id of a channel, before the event is acknowledged: when that fails, Slack
   * sends it again.
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
   * In a channel that workspaces share, where several have the app, Slack sends an event once, and names any of them:
   * it is for the one whose room the channel is. The SDK takes the envelope's workspace for the author's, which may be
   * that of either side.
   */
  private async inShared(event: Written, context: EventContext): Promise<EventContext> {
    const owner = await this.ownerOf(event.channel, context.installationId)
    const here = owner ?? context
    const isSaid = ['message', 'app_mention'].includes(event.type) && typeof event.user === 'string' && !event.bot_id
    if (isSaid && workspaceOf(event) === undefined) {
      // Of whom nobody tells it, they may be anybody.
      event.team = await this.requestContext.run(here, () => this.shared.teamOf(event.user as string)) ?? ''
    }
    return here
  }

  /** The workspace in which the configuration has the channel, once Slack says that it shares it with the other one. */
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
    // Where it fails, it is not known yet.
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

/** In a channel that workspaces share, `team` is the one that Slack tells; `user_team` is the one of who wrote. */
function workspaceOf({ user, team, ...ids }: Acted): string | undefined {
  const pressed = typeof user === 'object' ? user.team_id : undefined
  const told = typeof team === 'string' ? team : team?.id
  return pressed ?? ids.user_team ?? ids.source_team ?? told ?? ids.team_id
}

/** Options of Slack's own client, through which the SDK calls. */
const WEB_CLIENT: SlackAdapterConfig['webClientOptions'] = {
  // By default it retries for 30 minutes.
  timeout: SLACK_TIMEOUT_MS, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true,
  // By itself it calls directly, past the proxy that everything else goes through.
  requestInterceptor: request => ({ ...request, proxy: undefined }),
  // It would write warnings to the console as plain text; what fails is thrown, and logged elsewhere.
  logger: {
    debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, setLevel: () => {},
    getLevel: () => 'error' as never, setName: () => {},
  },
}

/** Older requests may be replayed (https://docs.slack.dev/authentication/verifying-requests-from-slack), s. */
const MAX_SKEW_S = 300

/**
 * Whether Slack signed a request just now. As the SDK checks it, but at once: Web Crypto imports the key anew for each
 * request and answers from another thread, while somebody waits for their click.
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
