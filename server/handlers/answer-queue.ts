import type { Chat, Lock, Message, StateAdapter, Thread } from 'chat'
import type { Place } from '../ports/board'
import type { MessageQueue } from '../ports/message-queue'

/** One message and the thread that it stands in. */
export interface Turn {
  thread: Thread
  message: Message
  /** It opened the conversation, as far as could be told when it arrived. */
  opens: boolean
  /** Where it was said; a turn that another version kept knows nothing of it. */
  place: Place
}

/** How often a process whose message another one is to answer looks whether that one is still there, ms. */
const WATCH_MS = 1000

/** An answer that takes longer is left to itself, ms, so that it holds up nobody for ever. */
const LONGEST_ANSWER_MS = 600_000

export interface TurnsOptions {
  bot: Chat
  queue: MessageQueue
  /** How long a process that died keeps a thread, ms. */
  leaseMs: number
  /**
   * May reject: the next message is answered all the same.
   *
   * @param attempt more than 1 after a process that died while it answered
   */
  answer: (turn: Turn, attempt: number) => Promise<void>
}

/** Answers messages one at a time per thread, in order of arrival, over all replicas. */
export interface Turns {
  /** Resolves when nothing waits any more, or as soon as the message waits for an answer that is being made here. */
  take(turn: Turn): Promise<void>
  /** Goes on where a process died; resolves at once when none did, and another one is answering in the thread. */
  resume(threadId: string): Promise<void>
  /** Begins no more answers: what waits is left to another process. */
  stop(): void
}

interface Line {
  /** Something joined since the queue was last looked at. */
  joined: boolean
  /** What arrived in this process, by message id: nothing has to be revived. */
  here: Map<string, Turn>
}

/**
 * Instead of the SDK's `queue` strategy: that hands a handler the newest message only, drops what is too much or too
 * old, forgets what it was about to answer when the process dies, and misses a message that joins between its last look
 * at the queue and the release of its lock.
 * Here whoever releases the lock looks again, so every message that was queued while the lock was held is seen.
 */
export function createTurns({ bot, queue, leaseMs, answer }: TurnsOptions): Turns {
  const lines = new Map<string, Line>()
  /** Answered, but still in the queue, because the store did not answer. */
  const answered = new Set<string>()
  let stopped = false

  async function attend(threadId: string, line: Line): Promise<void> {
    const state = bot.getState()
    lines.set(threadId, line)
    try {
      for (;;) {
        line.joined = false
        const lock = await state.acquireLock(`conversation:${threadId}`, leaseMs)
        if (lock) await holding(state, lock, leaseMs, () => drain(threadId, line))
        else if (line.here.size > 0) await new Promise(resolve => setTimeout(resolve, WATCH_MS))
        const left = lock || line.here.size > 0 ? !await queue.isEmpty(threadId) : false
        // Leaving has to happen in the same step as the last look at `joined`.
        if (stopped || (!left && !line.joined)) return void lines.delete(threadId)
      }
    }
    finally {
      if (lines.get(threadId) === line) lines.delete(threadId)
    }
  }

  async function drain(threadId: string, line: Line): Promise<void> {
    while (!stopped) {
      const next = await queue.first(threadId)
      if (!next) return
      const { message, attempt } = next
      if (!answered.has(message)) await bounded(reply(message, attempt, line))
      answered.add(message)
      await queue.remove(threadId, message)
      answered.delete(message)
    }
  }

  async function reply(message: string, attempt: number, line: Line): Promise<void> {
    await answer(turnOf(message, line, bot), attempt)
  }

  return {
    async take(turn) {
      const threadId = turn.thread.id
      await queue.add(threadId, JSON.stringify(turn))
      if (stopped) return
      const line = lines.get(threadId)
      if (!line) return attend(threadId, { joined: false, here: new Map([[turn.message.id, turn]]) })
      line.joined = true
      line.here.set(turn.message.id, turn)
    },
    resume: async threadId => lines.has(threadId) ? undefined : attend(threadId, { joined: false, here: new Map() }),
    stop: () => { stopped = true },
  }
}

async function bounded(answer: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => { timer = setTimeout(resolve, LONGEST_ANSWER_MS).unref() })
  await Promise.race([answer.catch(() => { /* Told where it happened. */ }), enough])
  clearTimeout(timer)
}

async function holding(state: StateAdapter, lock: Lock, leaseMs: number, act: () => Promise<void>): Promise<void> {
  const heartbeat = setInterval(() => void state.extendLock(lock, leaseMs).catch(() => { /* The next one may get through. */ }), leaseMs / 3)
  try {
    await act()
  }
  finally {
    clearInterval(heartbeat)
    await state.releaseLock(lock)
  }
}

/** The turn that was put away as text, which another process revives. */
function turnOf(text: string, { here }: Line, bot: Chat): Turn {
  const { message: { id } } = JSON.parse(text) as Turn
  const own = here.get(id)
  here.delete(id)
  if (own) return own
  const turn = JSON.parse(text, bot.reviver()) as Turn
  turn.place ??= []
  const { adapter } = turn.thread
  // JSON drops how an attachment is fetched; the adapter knows.
  turn.message.attachments = turn.message.attachments.map(attachment => adapter.rehydrateAttachment?.(attachment) ?? attachment)
  return turn
}
