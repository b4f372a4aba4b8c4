import { CHANNEL, sendEvent, type Block, type Slack } from './slack'
import { parseCall } from './slack-bodies'

interface Said {
  channel?: string
  /** Thread of the message */
  thread?: string
  user?: string
  /** Further fields of the event */
  more?: Block
  /** Timestamp of an existing message in the Slack double. Without it, only the service gets the message. */
  ts?: string
}

let clock = 1_790_000_000

/** Returns the timestamp that Slack would give the next message. */
export const nextTs = (): string => `${++clock}.${String(clock % 1_000_000).padStart(6, '0')}`

/** Returns the `message` event of a user's message; direct messages are recognised by their channel. */
export function said(
  { reviewer }: Slack, text: string, ts: string,
  { channel = CHANNEL, thread, user = reviewer.id, more = {} }: Said = {},
): Block {
  return {
    type: 'message', channel, channel_type: channel.startsWith('D') ? 'im' : 'channel', user, text, ts,
    team: 'T000000001',
    ...thread ? { thread_ts: thread } : {}, ...more,
  }
}

/** Returns the event as Slack posts it. */
export function envelope(event: Block, eventId = `Ev${String(event.ts)}${String(event.type)}`): Block {
  return {
    type: 'event_callback', team_id: 'T000000001', api_app_id: 'A000000001', event_id: eventId,
    event_time: Number.parseInt(event.ts as string), event,
  }
}

/** Posts a user's message in a channel or thread; resolves with its timestamp once it is acknowledged. */
export async function say(serverUrl: string, slack: Slack, text: string, options: Said = {}): Promise<string> {
  const { ts = nextTs() } = options
  const response = await sendEvent(serverUrl, envelope(said(slack, text, ts, options)))
  if (response.status !== 200) throw new Error(`The event was answered with ${response.status}.`)
  return ts
}

/** Mentions the bot in the channel. Slack sends a `message` and an `app_mention` event, in either order. */
export async function mention(
  serverUrl: string, slack: Slack, text: string, options: Said & { mentionFirst?: boolean } = {},
): Promise<string> {
  const { ts = nextTs() } = options
  const message = said(slack, `<@${slack.botId}> ${text}`, ts, options)
  const events = [message, { ...message, type: 'app_mention' }]
  for (const event of options.mentionFirst ? events.reverse() : events) await sendEvent(serverUrl, envelope(event))
  return ts
}

/**
 * Returns the ephemeral messages that Slack has shown. In a thread without answers, Slack shows none but reports no
 * error. https://docs.slack.dev/reference/methods/chat.postEphemeral
 */
export function whispers(slack: Slack): Block[] {
  const answered = new Set<string>()
  return slack.requests.flatMap((request) => {
    const call = /\/chat\.(?:postMessage|startStream|postEphemeral)$/.test(request.path) ? parseCall(request) : {}
    const thread = call.thread_ts as string | undefined
    if (request.path.endsWith('Ephemeral')) return !thread || answered.has(thread) ? [call] : []
    if (thread) answered.add(thread)
    return []
  })
}

/** Returns the bot's accepted posts in a thread, in order. An empty `thread` means the channel itself. */
export function postsIn(slack: Slack, thread: string, channel = CHANNEL): Block[] {
  const posts = slack.requests.filter(({ path, status = 0 }) => path === '/api/chat.postMessage' && status < 400)
  return posts.map(parseCall).filter(call => call.channel === channel && (call.thread_ts ?? '') === thread)
}
