import type { Logger } from 'chat'
import { withRetryAfter } from '../shared/patience'

interface StreamChunk extends Record<string, unknown> { markdown_text?: string, token?: string }

/** Growing message of Slack's client, which buffers text until there is enough of it. */
interface Streamer {
  /** Undefined until the message is posted. */
  readonly ts: string | undefined
  /** Sends the buffered text at once if `chunks` is set, even to an empty list. */
  append: (chunk: StreamChunk & { chunks?: unknown[] }) => Promise<unknown>
  stop: (ending: StreamChunk) => Promise<unknown>
}

/**
 * Posts the text of a short answer first. Slack's client would post an empty message and add the text only when it ends
 * the message. If Slack then refuses the end, the empty message stays next to the answer that the SDK posts instead.
 * With the text posted first, a refused end loses nothing: Slack ends such a message by itself. Rate-limited calls are
 * retried.
 */
export function beginWithWords(
  client: { chatStream: (...args: never[]) => unknown }, logger: Logger,
): void {
  const create = client.chatStream.bind(client)
  client.chatStream = (...args) => {
    const streamer = create(...args) as Streamer
    const append = streamer.append.bind(streamer)
    streamer.append = chunk => sendWithRetry(chunk, append, { chunks: chunk.chunks ?? [] })
    const end = streamer.stop.bind(streamer)
    const stop = (ending: StreamChunk) => sendWithRetry(ending, end)
    streamer.stop = async ({ markdown_text, ...ending }) => {
      if (streamer.ts !== undefined) return stop({ markdown_text, ...ending })
      await streamer.append({ markdown_text, token: ending.token, chunks: [] })
      return stop(ending).catch((error: unknown) => {
        logger.warn('Slack did not confirm the end of a complete message', { error })
        return { ts: streamer.ts }
      })
    }
    return streamer
  }
}

/**
 * Retries without passing the text again, because the client still has it.
 *
 * @param extraFields fields that the client does not keep
 */
function sendWithRetry<T extends StreamChunk>(
  chunk: T, send: (chunk: T) => Promise<unknown>, extraFields: Partial<T> = {},
): Promise<unknown> {
  let nextChunk = chunk
  return withRetryAfter(() => {
    const currentChunk = nextChunk
    nextChunk = { ...chunk, ...extraFields, markdown_text: undefined }
    return send(currentChunk)
  })
}
