import { DiscordAdapter } from '@chat-adapter/discord'
import type { Logger } from 'chat'
import type { HttpClient, HttpMethod } from '../../../ports/http'
import { withRetryAfter } from '../../shared/patience'
import { withWholeQuotes } from '../../shared/text'
import { withPlainNames } from '../escape'
import { MESSAGE_LENGTH } from '../interactions'
import {
  createDiscordRest, DISCORD_API, DiscordError, type DiscordSettings, type RestOptions, type FileUpload,
} from './rest'

/** The user who clicked waits for the answer, so the timeout is short. */
const INTERACTION_CALL: RestOptions = { timeoutMs: 5000, repeats: 2 }

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const UNKNOWN_MESSAGE = '10008'
const THREAD_EXISTS = '160004'

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const PRIVATE_THREAD = 12

/** The SDK's adapter on our client. Its own calls have no timeout, and some ignore `apiUrl` and use discord.com. */
export class RestDiscordAdapter extends DiscordAdapter {
  readonly rest

  constructor(settings: DiscordSettings, logger: Logger, http: HttpClient) {
    const { botToken, publicKey, applicationId, apiUrl = DISCORD_API } = settings
    // Without these options the SDK reads its own variables.
    const emptyDefaults = { mentionRoleIds: [], respondToChannelIds: [] }
    // The SDK treats this name in plain text as a mention. Use the id, which real mentions on Discord contain.
    super({ botToken, publicKey, applicationId, apiUrl, logger, userName: applicationId, ...emptyDefaults })
    this.rest = createDiscordRest(settings, http)
    withWholeQuotes(this.formatConverter)
  }

  override postMessage(...message: Parameters<DiscordAdapter['postMessage']>) {
    return withRetryAfter(() => super.postMessage(...message))
  }

  override editMessage(...edit: Parameters<DiscordAdapter['editMessage']>) {
    return withRetryAfter(() => super.editMessage(...edit))
  }

  /** Hides private threads, which only members may see: the SDK lists threads with their first messages. */
  protected override async discordFetch(path: string, method: string, body?: object): Promise<Response> {
    const response = await this.call(path, method, { body, repeats: 1 })
    if (!path.endsWith('/threads/active')) return response
    const { threads } = await response.json() as { threads: { type: number }[] }
    return Response.json({ threads: threads.filter(({ type }) => type !== PRIVATE_THREAD) })
  }

  /** Sends the original markdown if the rendered text is too long: the SDK pads table columns to their widest cell. */
  protected override buildMessagePayload(
    ...[message, options]: Parameters<DiscordAdapter['buildMessagePayload']>
  ): ReturnType<DiscordAdapter['buildMessagePayload']> {
    const markdown = typeof message === 'object' && 'markdown' in message ? message.markdown : ''
    const text = withPlainNames(this.formatConverter.renderPostable({ markdown }))
    const isLonger = text.length > MESSAGE_LENGTH
    return super.buildMessagePayload(isLonger ? { raw: markdown } : message, options)
  }

  /** Restores plain names before the text is cut to the length of a message. */
  protected override truncateContent(content: string): string {
    return super.truncateContent(withPlainNames(content))
  }

  protected override discordInteractionFetch(path: string, method: string, body?: object): Promise<Response> {
    return this.call(path, method, { ...INTERACTION_CALL, body })
  }

  protected override discordInteractionFetchWithFiles(path: string, method: string, body: object, files: FileUpload[]) {
    return this.call(path, method, { ...INTERACTION_CALL, body, files })
  }

  protected override async postMessageWithFiles(
    channelId: string, threadId: string, body: object, files: FileUpload[],
  ) {
    const raw = await this.rest<{ id: string }>('POST', `/channels/${channelId}/messages`, { body, files, repeats: 1 })
    return { id: raw.id, threadId, raw }
  }

  /** True for a channel: the SDK answers there if it cannot start a thread, as in the chat of a voice channel. */
  isChannel(threadId: string): boolean {
    return !this.isDM(threadId) && this.decodeThreadId(threadId).threadId === undefined
  }

  private async call(path: string, method: string, options: RestOptions): Promise<Response> {
    const answer = await this.rest<object | undefined>(method as HttpMethod, path, options)
    return answer ? Response.json(answer) : new Response(null, { status: 204 })
  }

  /**
   * Retries in the parent channel, which has a thread's first message. The SDK does so only for its own error class.
   */
  protected override withMessageChannel<T>(threadId: string, messageId: string, act: (channel: string) => Promise<T>) {
    const { channelId, threadId: thread } = this.decodeThreadId(threadId)
    return super.withMessageChannel(threadId, messageId, act).catch((error: unknown) => {
      if (thread === messageId && isRefusal(error, UNKNOWN_MESSAGE)) return act(channelId)
      throw error
    })
  }

  /**
   * Returns the existing thread; its id is the message's. The SDK recognizes this refusal only by its own error class.
   */
  protected override createDiscordThread(channelId: string, messageId: string) {
    return super.createDiscordThread(channelId, messageId).catch((error: unknown) => {
      if (isRefusal(error, THREAD_EXISTS)) return { id: messageId, name: '' }
      throw error
    })
  }
}

function isRefusal(error: unknown, code: string): boolean {
  return error instanceof DiscordError && error.code === code
}
