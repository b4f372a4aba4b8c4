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

/** Whoever clicked waits for the answer. */
const INTERACTION_CALL: RestOptions = { timeoutMs: 5000, repeats: 2 }

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const UNKNOWN_MESSAGE = '10008'
const THREAD_EXISTS = '160004'

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const PRIVATE_THREAD = 12

/** The SDK's adapter on our client: its own calls have no bounds, and some go to discord.com whatever `apiUrl` is. */
export class RestDiscordAdapter extends DiscordAdapter {
  readonly rest

  constructor(settings: DiscordSettings, logger: Logger, http: HttpClient) {
    const { botToken, publicKey, applicationId, apiUrl = DISCORD_API } = settings
    // The SDK reads variables of its own for what is not named here.
    const nobody = { mentionRoleIds: [], respondToChannelIds: [] }
    // By its name in plain text it would take for a mention what Discord does not show as one; a mention has the id.
    super({ botToken, publicKey, applicationId, apiUrl, logger, userName: applicationId, ...nobody })
    this.rest = createDiscordRest(settings, http)
    withWholeQuotes(this.formatConverter)
  }

  override postMessage(...message: Parameters<DiscordAdapter['postMessage']>) {
    return withRetryAfter(() => super.postMessage(...message))
  }

  override editMessage(...edit: Parameters<DiscordAdapter['editMessage']>) {
    return withRetryAfter(() => super.editMessage(...edit))
  }

  /** The SDK lists the threads of a channel with what they begin with; a private one is for those who are in it. */
  protected override async discordFetch(path: string, method: string, body?: object): Promise<Response> {
    const response = await this.call(path, method, { body, repeats: 1 })
    if (!path.endsWith('/threads/active')) return response
    const { threads } = await response.json() as { threads: { type: number }[] }
    return Response.json({ threads: threads.filter(({ type }) => type !== PRIVATE_THREAD) })
  }

  /** Columns of a table are made as wide as their widest cell: what is too long by that is shown as it was written. */
  protected override buildMessagePayload(
    ...[message, options]: Parameters<DiscordAdapter['buildMessagePayload']>
  ): ReturnType<DiscordAdapter['buildMessagePayload']> {
    const markdown = typeof message === 'object' && 'markdown' in message ? message.markdown : ''
    const rendered = withPlainNames(this.formatConverter.renderPostable({ markdown }))
    const isLonger = rendered.length > MESSAGE_LENGTH
    return super.buildMessagePayload(isLonger ? { raw: markdown } : message, options)
  }

  /** Before it is cut to what a message takes. */
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

  /** Of a mention for which no thread can be begun, as in the chat of a voice channel, the SDK has the channel. */
  isChannel(threadId: string): boolean {
    return !this.isDM(threadId) && this.decodeThreadId(threadId).threadId === undefined
  }

  private async call(path: string, method: string, options: RestOptions): Promise<Response> {
    const answer = await this.rest<object | undefined>(method as HttpMethod, path, options)
    return answer ? Response.json(answer) : new Response(null, { status: 204 })
  }

  /** The first message of a thread is in the channel above; the SDK knows the refusal by an error that it keeps. */
  protected override withMessageChannel<T>(threadId: string, messageId: string, act: (channel: string) => Promise<T>) {
    const { channelId, threadId: thread } = this.decodeThreadId(threadId)
    return super.withMessageChannel(threadId, messageId, act).catch((error: unknown) => {
      if (thread === messageId && isRefusal(error, UNKNOWN_MESSAGE)) return act(channelId)
      throw error
    })
  }

  /** The thread of a message has its id; the SDK knows this refusal by the same error. */
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
