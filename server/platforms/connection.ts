import type { Adapter, CardElement, Chat } from 'chat'
import type { GatewayStatus } from '../ports/monitor'
import type { Outcome } from '../ports/delivery'
import type { Installation } from '../ports/installations'
import type { Log } from '../ports/runtime'
import type { CardRef } from '../ports/submission'
import type { Platform } from './traits'
import type { SandboxRooms } from './sandbox/rooms'

/** One channel in which cards are posted. */
export interface Room {
  /** @param key Idempotency key: retries with the same key post the card only once, if the platform supports that */
  post(card: CardElement, summary: string, key: string): Promise<Outcome<CardRef>>
  update(ref: CardRef, card: CardElement, summary: string): Promise<Outcome>
  /** Posts a notice below a card, or in the channel. Its texts appear as typed; `mention` comes from `mentions.of`. */
  say(card: CardElement, summary: string, below?: CardRef, mention?: string): Promise<Outcome>
  /** Checks that the platform accepts our credentials and shows us the channel; absent if only posting proves it. */
  check?(): Promise<Outcome>
  /**
   * True if the user is in the room; absent if the platform cannot answer that in one request.
   *
   * @param ids all ids of the user as the configuration writes them: a platform may use one `userId` for two people
   */
  hasMember?(userId: string, ids: readonly string[]): Promise<Outcome<boolean>>
  /** Returns the address of a card; null if messages have none or it is unknown. Answers within a second. */
  link?(ref: CardRef): Promise<string | null>
}

/** Thrown if the platform refuses the listener until a setting is changed; the error message names the setting */
export class ListenerRefused extends Error {}

export interface ListenerRun {
  /** `Infinity` for no end */
  durationMs: number
  signal?: AbortSignal
  /** True to wait until no other listener runs instead of replacing it, and to wait again after being replaced */
  standBy?: boolean
  /** Called when the platform has accepted this listener or its successor, and again after each interruption */
  connected?: () => void
}

/** Listens to a platform whose messages come through a socket instead of webhooks */
export interface Listener {
  /**
   * Listens until the time is over, the signal aborts, or a newer listener takes over.
   *
   * @throws ListenerRefused
   */
  listen(run: ListenerRun): Promise<void>
  status(): Promise<GatewayStatus>
}

export interface ListenerOptions {
  bot: () => Promise<Chat>
  /** Handles a request within this process, as if it had come to the platform's webhook route */
  receive: (request: Request & { arrivalMs: number }) => Promise<Response>
  /** Address to forward events to; null to handle them within this process */
  webhookUrl: string | null
  background: (task: Promise<unknown>) => void
  /** Time for which a dead listener blocks the next one, ms */
  leaseMs: number
  log: Log
}

/** Optional parts of an app */
export interface ManifestVariant {
  /** Reads files that people attach in conversations */
  files: boolean
  /** Agent as the platform defines it: the platform has a button that stops the agent's answers */
  agent: boolean
}

/** Installation of a platform's app in other workspaces */
export interface Install {
  /** Password that encrypts the browser's cookie during the visit to the platform's page */
  password: string
  /** Returns the platform's page that asks for consent */
  link: (state: string, variant: ManifestVariant) => string
  /** Exchanges the code for a token and stores it; resolves with the workspace's id, or null if the code is refused */
  finish: (code: string, bot: () => Promise<Chat>) => Promise<string | null>
}

/** Any event of an adapter, with its raw request */
export interface RawEvent {
  raw: unknown
  adapter: Adapter
}

/** Event of an app that was added or removed */
export interface InstallEvent {
  conversationId: string
  tenantId?: string
  raw: unknown
}

/** Room without a configured channel: cards go to the channel in which people install the app */
export interface LateRoom {
  /** Id of the app; if it changes, the new app must be installed again */
  app: string
  /** Reads the installation from a verified event; null if it is not for a card room, or comes from strangers */
  installationIn: (event: InstallEvent) => Installation | null
}

/** A configured platform. Adapter and room load their code on first use. */
export interface Connection {
  platform: Platform
  /** Channel of the default form's cards; null if the platform has none, or while a late room is not installed */
  channelId: string | null
  /** Set only if no variable names the channel */
  late?: LateRoom
  /** Loads the channel of a late room from the store and sets `channelId`; never rejects */
  locate?: () => Promise<string | null>
  /**
   * Returns the channels that contain a thread, as far as its id tells, written as in the configuration. The narrowest
   * comes first, because a thread can also be a channel. Absent if the second part of the id is the channel.
   */
  channelsOf?: (threadId: string) => readonly string[]
  /** Returns the same for the current webhook, if its signed request tells more than the thread's id */
  channelsHere?: (threadId: string, adapter: Adapter) => Promise<readonly string[]>
  /**
   * Returns all ids by which the configuration may name the sender of a signed request; absent if the platform has one
   * id per person.
   */
  idsOf?: (userId: string, request: RawEvent) => readonly string[]
  /** Returns the sender's roles from the signed request, written as in the configuration */
  rolesOf?: (raw: unknown) => readonly string[]
  /** Mentions: `in` returns the ids of mentioned people; `of` returns text that notifies a person, if possible */
  mentions?: {
    in: (raw: unknown) => readonly string[]
    of?: (userId: string) => string
    /** Like the connection's own `idsOf`, for a mentioned person; absent if the platform has one id per person */
    idsOf?: (userId: string, message: RawEvent) => Promise<readonly string[]>
  }
  /** Returns the ids of all members of a group that a list names; null if the name is no group. Answers within 1.5 s */
  membersOf?: (group: string) => Promise<Outcome<readonly string[]>> | null
  /** Returns a value that identifies one press of a button; absent if the event's own `id` identifies it */
  pressOf?: (raw: unknown) => unknown
  /** Asks the platform for the bot's display name, with the bot's credentials; absent if there are none */
  identify?: () => Promise<Outcome<string>>
  /** Chat SDK adapter for incoming events */
  adapter(): Promise<Adapter>
  /**
   * Returns the room for cards. `bot` starts the Chat SDK for rooms that post through it.
   *
   * @param channel used instead of the platform's own
   */
  room(bot: () => Promise<Chat>, channel?: string): Promise<Room>
  /** Set only for the sandbox, the chat inside this service, whose users may open our own pages */
  embedded?: SandboxRooms
  /** Absent if nobody else can install the app */
  install?: Install
  /** True if webhooks are off: everything comes through the listener */
  listensOnly?: boolean
  /** Set only if the platform has a socket to listen to */
  listener?: (options: ListenerOptions) => Promise<Listener>
}
