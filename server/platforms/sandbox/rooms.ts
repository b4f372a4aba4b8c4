import type { SandboxMessage } from '../../../shared/types/sandbox'
import { HEARTBEAT_MS } from '../../ports/store'
import type { SandboxUser } from './protocol'

/** More are forgotten, oldest first: the sandbox lives in memory. */
const KEPT = 200

/** Open pages; each holds a connection. */
const MOST_WATCHERS = 200

/** Who signed in, with the names that lists may have for them. */
interface Sender extends SandboxUser { names?: readonly string[] }

interface Watcher {
  changed: () => void
  /** Every `HEARTBEAT_MS`. */
  alive: () => void
  /** The process ends. */
  closed: () => void
}

/** The embedded channels: their messages in memory, and whoever watches them. */
export class SandboxRooms {
  private readonly messages = new Map<string, SandboxMessage>()
  private readonly watchers = new Set<Watcher>()
  private posted = 0
  /** Ids are never used again: the SDK's state, which remembers them, may outlive this process. */
  private readonly run = Date.now().toString(36)

  private changes = 0

  private readonly senders = new WeakMap<Request, Sender>()

  /** @param named those that are there before anything is said */
  constructor(private readonly named: readonly string[]) {}

  /** Also those that only forms name, once there is a message in them. */
  get channels(): string[] {
    return [...new Set([...this.named, ...this.list().map(({ channel }) => channel)])]
  }

  /** Whoever signed in speaks under that name, whatever the request says. */
  introduce(request: Request, { id, name, names }: Sender): void {
    this.senders.set(request, { id, name, names })
  }

  /** Null for somebody who did not have to sign in, and acts as whom they like. */
  senderOf(request: Request): Sender | null {
    return this.senders.get(request) ?? null
  }

  /** By which names somebody signed in who sent an event, as the adapter hands it on. */
  namesOf(raw: unknown): readonly string[] {
    return (raw as { user?: Sender } | null)?.user?.names ?? []
  }

  list(): SandboxMessage[] {
    return [...this.messages.values()]
  }

  /** Whether the thread, or the message that it hangs below, is still kept. */
  has(threadId: string): boolean {
    return this.list().some(message => message.threadId === threadId)
  }

  /** The thread that a message stands in, or that may begin below it; null when it is gone. */
  threadOf(messageId: string): string | null {
    return this.messages.get(messageId)?.threadId ?? null
  }

  /** In a channel, or in a thread of one. */
  post(
    { channel, threadId }: Pick<SandboxMessage, 'channel'> & Partial<Pick<SandboxMessage, 'threadId'>>,
    content: Pick<SandboxMessage, 'text' | 'card'>, author: SandboxMessage['author'] = null,
  ): SandboxMessage {
    const id = `m${this.run}-${++this.posted}`
    const message = {
      id, channel, threadId: threadId ?? `sandbox:${channel}:${id}`, postedAt: Date.now(), editedAt: null, author,
      ...content,
    }
    this.messages.set(id, message)
    for (const oldest of this.messages.keys()) {
      if (this.messages.size <= KEPT) break
      this.messages.delete(oldest)
    }
    this.changed()
    return message
  }

  /** The edited message, or null when it is gone. */
  edit(id: string, content: Pick<SandboxMessage, 'text' | 'card'>): SandboxMessage | null {
    const message = this.messages.get(id)
    if (!message) return null
    const edited = { ...message, ...content, editedAt: Date.now() }
    this.messages.set(id, edited)
    this.changed()
    return edited
  }

  delete(id: string): void {
    this.messages.delete(id)
    this.changed()
  }

  /** Another one after every change. */
  get revision(): string {
    return `${this.run}-${this.changes}`
  }

  /**
   * Tells of every change, and once when some may have been missed since the revision that the watcher knows, until it
   * is stopped; null when too many watch already.
   */
  watch(watcher: Watcher, knows?: string): (() => void) | null {
    if (this.watchers.size >= MOST_WATCHERS) return null
    this.watchers.add(watcher)
    const beats = setInterval(watcher.alive, HEARTBEAT_MS).unref()
    if (knows !== this.revision) watcher.changed()
    watcher.alive()
    return () => {
      clearInterval(beats)
      this.watchers.delete(watcher)
    }
  }

  changed(): void {
    this.changes++
    for (const { changed } of this.watchers) changed()
  }

  close(): void {
    for (const { closed } of this.watchers) closed()
  }
}
