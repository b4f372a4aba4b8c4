import type { Logger } from 'chat'
import { withRetryAfter } from '../shared/patience'

interface Words extends Record<string, unknown> { markdown_text?: string, token?: string }

/** Growing message of Slack's client, which buffers text until there is enough of it. */
interface Streamer {
  /** Undefined until the message is posted. */
  readonly ts: string | undefined
  /** Sends the buffered text at once if `chunks` is set, even to an empty list. */
  append: (words: Words & { chunks?: unknown[] }) => Promise<unknown>
  stop: (ending: Words) => Promise<unknown>
}

/**
 * Makes a short answer begin with its text. Slack's client begins an empty message and adds the text as it ends the
 * message. If Slack refuses the end, the empty message stays beside the answer that the SDK then posts. With all text
 * posted first, a refused end loses nothing: Slack ends such a message by itself. Rate-limited calls are retried.
 */
export function beginWithWords(
  client: { chatStream: (...args: never[]) => unknown }, logger: Logger,
): void {
  const create = client.chatStream.bind(client)
  client.chatStream = (...args) => {
    const streamer = create(...args) as Streamer
    const append = streamer.append.bind(streamer)
    streamer.append = words => again(words, append, { chunks: words.chunks ?? [] })
    const end = streamer.stop.bind(streamer)
    const stop = (ending: Words) => again(ending, end)
    streamer.stop = async ({ markdown_text, ...ending }) => {
      if (streamer.ts !== undefined) return stop({ markdown_text, ...ending })
      await streamer.append({ markdown_text, token: ending.token, chunks: [] })
      return stop(ending).catch((error: unknown) => {
        logger.warn('Slack did not end a message that is whole', { error })
        return { ts: streamer.ts }
      })
    }
    return streamer
  }
}

/** Retries without repeating the text, which the client keeps. @param more fields that the client does not keep */
function again<T extends Words>(
  words: T, say: (words: T) => Promise<unknown>, more: Partial<T> = {},
): Promise<unknown> {
  let next = words
  return withRetryAfter(() => {
    const now = next
    next = { ...words, ...more, markdown_text: undefined }
    return say(now)
  })
}
