import type { Json } from './adaptive-card'
import { answer, refuse } from './telegram-answers'

/** Types of updates that a bot may ask for, as far as the double sends them or bots often name them */
const TYPES = ['message', 'edited_message', 'channel_post', 'edited_channel_post', 'message_reaction', 'callback_query']

const WEBHOOK_ACTIVE = 'Conflict: can\'t use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first'
const TERMINATED = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'

interface Poll {
  offset: number
  limit: number
  resolve: (response: Response) => void
}

/**
 * Keeps the updates of a bot that fetches them (https://core.telegram.org/bots/api#getupdates). An update is kept until
 * a request has a higher offset. There is one request at a time, and none while a webhook is set.
 */
export function createUpdates() {
  let waiting: Json[] = []
  const sent: Json[] = []
  let allowed: readonly string[] | undefined
  let webhook = ''
  let poll: Poll | null = null

  function end(response: Response): void {
    poll?.resolve(response)
    poll = null
  }

  /** Answers the request that is held if there is something to say. */
  function flush(): void {
    if (!poll) return
    const { offset, limit } = poll
    waiting = waiting.filter(({ update_id: id }) => id >= offset)
    if (waiting.length > 0) end(answer(waiting.slice(0, limit)))
  }

  function getUpdates(params: Json): Promise<Response> | Response {
    const { offset = 0, limit = 100, timeout = 0, allowed_updates: types } = params
    if (webhook) return refuse(409, WEBHOOK_ACTIVE)
    const isValid = Number.isSafeInteger(offset) && offset >= 0 && limit >= 1 && limit <= 100
      && timeout >= 0 && timeout <= 50
      && (types === undefined || (Array.isArray(types) && types.every(type => TYPES.includes(type as string))))
    if (!isValid) return refuse(400, 'Bad Request: invalid parameter specified')
    allowed = types as string[] | undefined ?? allowed
    end(refuse(409, TERMINATED))
    return new Promise((resolve) => {
      const own: Poll = poll = { offset: offset as number, limit: limit as number, resolve }
      flush()
      if (poll === own) setTimeout(() => poll === own && end(answer([])), timeout * 1000).unref()
    })
  }

  return {
    /** Adds an update, unless the bot did not ask for its type. */
    add(update: Json): void {
      if (allowed && !allowed.some(type => type in update)) return
      waiting.push(update)
      sent.push(update)
      flush()
    },
    /** Sends the newest updates again, as if the bot had not confirmed them. */
    repeat(count: number): void {
      waiting.push(...sent.slice(-count))
      flush()
    },
    /** Updates that the bot has not confirmed */
    waiting: () => waiting,
    /** Ends the held request without an update, as when its time is over. */
    timeUp: () => end(answer([])),
    /** True while a request is held. */
    isHeld: () => poll !== null,
    /** Ends the held request, as if another service had asked with the same token. */
    terminate: () => end(refuse(409, TERMINATED)),
    handle(method: string | undefined, params: Json): Promise<Response> | Response | null {
      switch (method) {
        case 'getUpdates': return getUpdates(params)
        case 'setWebhook':
          webhook = params.url as string
          end(refuse(409, WEBHOOK_ACTIVE))
          return answer(true)
        case 'deleteWebhook':
          webhook = ''
          if (params.drop_pending_updates) waiting = []
          return answer(true)
        case 'getWebhookInfo': return answer({
          url: webhook, has_custom_certificate: false, pending_update_count: waiting.length,
        })
        default: return null
      }
    },
  }
}
