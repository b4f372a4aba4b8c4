import type { ActionEvent, Adapter, CardElement, Chat, InstalledEvent } from 'chat'
import type { GatewayStatus } from '../ports/monitor'
import type { Outcome } from '../ports/delivery'
import type { Installation } from '../ports/installations'
import type { Log } from '../ports/runtime'
import type { CardRef } from '../ports/submission'
import type { Platform } from './traits'
import type { SandboxRooms } from './sandbox/rooms'

/** One channel in which cards are posted. */
export interface Room {
  /** @param key what a repeated post of the same card is told by, where the platform can */
  post(card: CardElement, summary: string, key: string): Promise<Outcome<CardRef>>
  update(ref: CardRef, card: CardElement, summary: string): Promise<Outcome>
  /** Says something below a card, or in the channel. Its texts appear as typed; `mention` is of `mentions.of`. */
  say(card: CardElement, summary: string, below?: CardRef, mention?: string): Promise<Outcome>
  /** Whether the platform takes our credentials and shows us the channel; absent where only a post can tell. */
  check?(): Promise<Outcome>
  /**
   * Whether somebody is in the room; absent where the platform does not tell that by one question.
   *
   * @param ids of theirs as the configuration has them, which tell people apart whom the platform calls the same
   */
  hasMember?(userId: string, ids: readonly string[]): Promise<Outcome<boolean>>
  /** Where people open the card, when its messages have addresses and this one's is known. Answers within a second. */
  link?(ref: CardRef): Promise<string | null>
}

/** A platform refuses to be listened to until a setting is changed; the message says which. */
export class ListenerRefused extends Error {}

export interface ListenerRun {
  /** `Infinity` has no end. */
  durationMs: number
  signal?: AbortSignal
  /** Waits until nobody listens instead of taking over, and waits again after it was taken over from. */
  standBy?: boolean
  /** Called when the platform has let this listener in, or the one that took over; again after each interruption. */
  connected?: () => void
}

/** Hears a platform whose messages come through a socket instead of webhooks. */
export interface Listener {
  /**
   * Until the time is over, the signal aborts, or a newer listener takes over.
   *
   * @throws ListenerRefused
   */
  listen(run: ListenerRun): Promise<void>
  status(): Promise<GatewayStatus>
}

export interface ListenerOptions {
  bot: () => Promise<Chat>
  /** Where events are forwarded to; null hands them on within this process. */
  webhookUrl: string | null
  background: (task: Promise<unknown>) => void
  /** How long a listener that died blocks the next one, ms. */
  leaseMs: number
  log: Log
}

/** What an app may be beside what it has to be. */
export interface ManifestVariant {
  /** Reads what people attach in conversations. */
  files: boolean
  /** An agent in the platform's own sense, whose answers people stop with its own button. */
  agent: boolean
}

/** How others get the app of a platform into their workspaces. */
export interface Install {
  /** Seals what a browser keeps while it is at the platform. */
  password: string
  /** The platform's page that asks for consent. */
  link: (state: string, variant: ManifestVariant) => string
  /** Keeps the token that the code stands for; resolves with the workspace's id, or null when it is refused. */
  finish: (code: string, bot: () => Promise<Chat>) => Promise<string | null>
}

/** How a room is known whose channel no variable names: cards go to where people install the app. */
export interface LateRoom {
  /** Which app it is; another one is installed anew. */
  app: string
  /** What an event that the adapter has verified says; null when it is of no room of cards, or of strangers. */
  installationIn: (event: Pick<InstalledEvent, 'conversationId' | 'tenantId' | 'raw'>) => Installation | null
}

/** A configured platform. Both halves load their code on first use. */
export interface Connection {
  platform: Platform
  /** The channel of the default form's cards; null where the platform has none, and until a late room is installed. */
  channelId: string | null
  /** Only where no variable names the channel. */
  late?: LateRoom
  /** Asks the store for the channel of a late room, which is `channelId` from then on; never rejects. */
  locate?: () => Promise<string | null>
  /**
   * The channels that a thread is in, as the configuration names them, as far as its id tells; the narrowest first,
   * where a thread is a channel of its own. Absent where the second part of the id is the channel.
   */
  channelsOf?: (threadId: string) => readonly string[]
  /** The same of the webhook that is being handled, where its signed request tells more than the thread's id. */
  channelsHere?: (threadId: string, adapter: Adapter) => Promise<readonly string[]>
  /**
   * Ids of somebody who sends a signed request, as the configuration may have them; absent where the platform has one
   * id for each.
   */
  idsOf?: (userId: string, request: Pick<ActionEvent, 'raw' | 'adapter'>) => readonly string[]
  /** Of who sends a signed request, the roles that it says they have, as the configuration has them. */
  rolesOf?: (raw: unknown) => readonly string[]
  /** People in messages: the ids of those whom one names, and what notifies somebody, where there is such a thing. */
  mentions?: {
    in: (raw: unknown) => readonly string[]
    of?: (userId: string) => string
    /** As the connection's own, of somebody who is named; absent where the platform has one id for each. */
    idsOf?: (userId: string, message: Pick<ActionEvent, 'raw' | 'adapter'>) => Promise<readonly string[]>
  }
  /** Ids of everybody in a group that a list has; null for what is none. Answers within 1.5 s. */
  membersOf?: (group: string) => Promise<Outcome<readonly string[]>> | null
  /** What tells one press of a button from the next; absent where the event's own `id` does. */
  pressOf?: (raw: unknown) => unknown
  /** Asks the platform who the bot is by its credentials: its name, for people. Absent where there are none. */
  identify?: () => Promise<Outcome<string>>
  /** The Chat SDK's adapter, for what comes in. */
  adapter(): Promise<Adapter>
  /**
   * Where cards go out. `bot` starts the Chat SDK for rooms that post through it.
   *
   * @param channel another one than the platform's own
   */
  room(bot: () => Promise<Chat>, channel?: string): Promise<Room>
  /** The chat itself, where it is embedded in this service: whoever sends its requests may open our own pages. */
  embedded?: SandboxRooms
  /** Absent where nobody else can install the app. */
  install?: Install
  /** Only where there is a socket to listen to. */
  listener?: (options: ListenerOptions) => Promise<Listener>
}
