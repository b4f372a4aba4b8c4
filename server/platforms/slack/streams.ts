import type { Logger } from 'chat'
import { withRetryAfter } from '../shared/patience'

interface Words extends Record<string, unknown> { markdown_text?: string, token?: string }

/** A growing message of Slack's client, which keeps words back until there are enough of them. */
interface Streamer {
  /** Undefined until the message is there. */
  readonly ts: string | undefined
  /** Says at once what was kept back where there are chunks, be they none. */
  append: (words: Words & { chunks?: unknown[] }) => Promise<unknown>
  stop: (ending: Words) => Promise<unknown>
}

/**
 * A short answer begins with its words. Slack's client begins an empty message and says them as it ends that: where
 * Slack refuses the end, the empty message stays beside the answer, which the SDK then posts. When all words are there,
 * a refused end takes nothing from them; Slack ends such a message by itself. What Slack says comes too often waits.
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

/** Words that were refused are kept by the client: it is not given them twice. @param more what it does not keep */
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
