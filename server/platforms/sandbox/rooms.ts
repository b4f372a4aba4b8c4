import type { SandboxMessage } from '../../../shared/types/sandbox'
import { HEARTBEAT_MS } from '../../ports/store'
import type { SandboxUser } from './protocol'

/** Max messages; older ones are dropped, because the sandbox lives in memory */
const MAX_MESSAGES = 200

/** Max open pages; each holds a connection */
const MAX_WATCHERS = 200

/** Signed-in user, with the names that lists may use for them */
interface Sender extends SandboxUser { names?: readonly string[] }

interface Watcher {
  changed: () => void
  /** Called every `HEARTBEAT_MS` */
  alive: () => void
  /** Called when the process ends */
  closed: () => void
}

/** The embedded channels: their messages in memory, and the pages that watch them */
export class SandboxRooms {
  private readonly messages = new Map<string, SandboxMessage>()
  private readonly watchers = new Set<Watcher>()
  private postCount = 0
  /** Prefix of ids, which must never repeat: the SDK's state remembers them and may outlive this process */
  private readonly idPrefix = Date.now().toString(36)

  private changeCount = 0

  private readonly senders = new WeakMap<Request, Sender>()

  /** @param namedChannels channels that exist before any message */
  constructor(private readonly namedChannels: readonly string[]) {}

  /** All channels. A channel that only forms name is included once it contains a message. */
  get channels(): string[] {
    return [...new Set([...this.namedChannels, ...this.list().map(({ channel }) => channel)])]
  }

  /** Records the signed-in sender of a request, who overrides the user that the request names. */
  introduce(request: Request, { id, name, names }: Sender): void {
    this.senders.set(request, { id, name, names })
  }

  /** Returns the signed-in sender; null if no sign-in was needed, and the request may name any user. */
  senderOf(request: Request): Sender | null {
    return this.senders.get(request) ?? null
  }

  /** Returns the names of the signed-in sender of an event (`raw` as the adapter passes it). */
  namesOf(raw: unknown): readonly string[] {
    return (raw as { user?: Sender } | null)?.user?.names ?? []
  }

  list(): SandboxMessage[] {
    return [...this.messages.values()]
  }

  /** True if the thread, or the message above it, is still kept. */
  has(threadId: string): boolean {
    return this.list().some(message => message.threadId === threadId)
  }

  /** Returns the thread of a message, or the one that may begin below it; null if the message is gone. */
  threadOf(messageId: string): string | null {
    return this.messages.get(messageId)?.threadId ?? null
  }

  /** Posts in a channel, or in one of its threads. */
  post(
    { channel, threadId }: Pick<SandboxMessage, 'channel'> & Partial<Pick<SandboxMessage, 'threadId'>>,
    content: Pick<SandboxMessage, 'text' | 'card'>, author: SandboxMessage['author'] = null,
  ): SandboxMessage {
    const id = `m${this.idPrefix}-${++this.postCount}`
    const message = {
      id, channel, threadId: threadId ?? `sandbox:${channel}:${id}`, postedAt: Date.now(), editedAt: null, author,
      ...content,
    }
    this.messages.set(id, message)
    for (const oldestId of this.messages.keys()) {
      if (this.messages.size <= MAX_MESSAGES) break
      this.messages.delete(oldestId)
    }
    this.changed()
    return message
  }

  /** Returns the edited message, or null if it is gone. */
  edit(id: string, content: Pick<SandboxMessage, 'text' | 'card'>): SandboxMessage | null {
    const message = this.messages.get(id)
    if (!message) return null
    const editedMessage = { ...message, ...content, editedAt: Date.now() }
    this.messages.set(id, editedMessage)
    this.changed()
    return editedMessage
  }

  delete(id: string): void {
    this.messages.delete(id)
    this.changed()
  }

  /** Value that differs after every change of the messages. */
  get revision(): string {
    return `${this.idPrefix}-${this.changeCount}`
  }

  /**
   * Calls `changed` after every change until stopped, and once at the start if changes were missed since the revision
   * `knownRevision`. Returns the stop function, or null if there are too many watchers.
   */
  watch(watcher: Watcher, knownRevision?: string): (() => void) | null {
    if (this.watchers.size >= MAX_WATCHERS) return null
    this.watchers.add(watcher)
    const heartbeat = setInterval(watcher.alive, HEARTBEAT_MS).unref()
    if (knownRevision !== this.revision) watcher.changed()
    watcher.alive()
    return () => {
      clearInterval(heartbeat)
      this.watchers.delete(watcher)
    }
  }

  changed(): void {
    this.changeCount++
    for (const { changed } of this.watchers) changed()
  }

  close(): void {
    for (const { closed } of this.watchers) closed()
  }
}
