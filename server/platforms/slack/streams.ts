import type { Logger } from 'chat'

interface Ending extends Record<string, unknown> { markdown_text?: string, token?: string }

/** A growing message of Slack's client, which keeps words back until there are enough of them. */
interface Streamer {
  /** Undefined until the message is there. */
  readonly ts: string | undefined
  append: (words: Ending & { chunks: [] }) => Promise<unknown>
  stop: (ending: Ending) => Promise<unknown>
}

/**
 * A short answer begins with its words. Slack's client begins an empty message and says them as it ends that: where
 * Slack refuses the end, the empty message stays beside the answer, which the SDK then posts. When all words are there,
 * a refused end takes nothing from them; Slack ends such a message by itself.
 */
export function beginWithWords(
  client: { chatStream: (...args: never[]) => unknown }, logger: Logger,
): void {
  const create = client.chatStream.bind(client)
  client.chatStream = (...args) => {
    const streamer = create(...args) as Streamer
    const stop = streamer.stop.bind(streamer)
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
