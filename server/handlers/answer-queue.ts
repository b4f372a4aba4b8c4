import type { Adapter, Chat, Lock, Message, StateAdapter, Thread } from 'chat'
import { noteStored } from '../../shared/stored'
import { withinOrNull } from '../../shared/utils/time'
import type { Scope } from '../ports/board'
import type { MessageQueue } from '../ports/message-queue'
import type { Runtime } from '../ports/runtime'

/** A message of a conversation that waits for its answer */
export interface QueuedMessage {
  thread: Thread
  message: Message
  /** True if it opened the conversation, as far as known when it arrived. */
  opens: boolean
  /** Room in which it was said. */
  place: Scope
}

/** A stored message. Another version may have stored it without a place. */
type StoredMessage = Omit<QueuedMessage, 'place'> & Partial<Pick<QueuedMessage, 'place'>>

/** Interval of checks on a message that another process should answer, ms */
const WATCH_MS = 1000

/** Pause before another try to remove an answered message from the store, ms */
const RETRY_MS = 250

/** Max wait for an answer, ms; a slower answer continues, but no longer delays the next one. */
const LONGEST_ANSWER_MS = 600_000

export interface AnswerQueueOptions {
  bot: Chat
  queue: MessageQueue
  /** Time for which a thread stays reserved for a process that died, ms. */
  leaseMs: number
  /**
   * May reject: the next message is answered all the same.
   *
   * @param attempt above 1 if a process died while it answered this message
   */
  answer: (queuedMessage: QueuedMessage, attempt: number) => Promise<void>
}

/** Answers messages one at a time per thread, in order of arrival, over all replicas. */
export interface AnswerQueue {
  /** Resolves when all is answered; if this process already answers in the thread, when the message is queued. */
  take(queuedMessage: QueuedMessage): Promise<void>
  /** Continues for a process that died; resolves at once if another one is answering in the thread. */
  resume(threadId: string): Promise<void>
  /** Starts no more answers: waiting messages are left to another process. */
  stop(): void
}

/** State of a thread in which this process answers */
interface ThreadState {
  /** True if a message joined since the last look at the queue. */
  hasJoined: boolean
  /** Messages that arrived in this process, by id; others have to be restored from stored text. */
  ownMessages: Map<string, QueuedMessage>
}

/**
 * Replaces the SDK's `queue` strategy. That strategy gives a handler only the newest message, drops messages when there
 * are too many or they are too old, forgets the current message when the process dies, and misses a message that
 * arrives between its last check of the queue and the release of its lock. Here the process checks again after the
 * release, so it finds every message that was queued in the meantime.
 */
export function createAnswerQueue({ bot, queue, leaseMs, answer }: AnswerQueueOptions): AnswerQueue {
  const threads = new Map<string, ThreadState>()
  /** Answered messages that are still in the queue, because the store did not answer. */
  const answeredMessages = new Set<string>()
  let isStopped = false

  async function attend(threadId: string, threadState: ThreadState): Promise<void> {
    const state = bot.getState()
    threads.set(threadId, threadState)
    try {
      for (;;) {
        threadState.hasJoined = false
        const lock = await state.acquireLock(`conversation:${threadId}`, leaseMs)
        if (lock) await withLock(state, lock, leaseMs, () => drain(threadId, threadState))
        else if (threadState.ownMessages.size > 0) await new Promise(resolve => setTimeout(resolve, WATCH_MS))
        const hasMessages = lock || threadState.ownMessages.size > 0 ? !await queue.isEmpty(threadId) : false
        // No `await` between this check of `hasJoined` and the deletion: no message may join in between.
        if (isStopped || (!hasMessages && !threadState.hasJoined)) return void threads.delete(threadId)
      }
    }
    finally {
      if (threads.get(threadId) === threadState) threads.delete(threadId)
    }
  }

  async function drain(threadId: string, threadState: ThreadState): Promise<void> {
    while (!isStopped) {
      const entry = await queue.first(threadId)
      if (!entry) return
      const { message, attempt } = entry
      // Errors are reported where they happen.
      const pendingReply = answeredMessages.has(message) ? null : reply(message, attempt, threadState).catch(() => {})
      if (pendingReply) await withinOrNull(LONGEST_ANSWER_MS, pendingReply)
      answeredMessages.add(message)
      await remove(threadId, message)
      answeredMessages.delete(message)
    }
  }

  /** Retries while the lease lasts: after it, another process would find the message and answer it once more. */
  async function remove(threadId: string, message: string): Promise<void> {
    const deadline = Date.now() + leaseMs
    for (;;) {
      try {
        return await queue.remove(threadId, message)
      }
      catch (error) {
        if (Date.now() >= deadline) throw error
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  async function reply(message: string, attempt: number, threadState: ThreadState): Promise<void> {
    await answer(reviveMessage(message, threadState, bot), attempt)
  }

  return {
    async take(queuedMessage) {
      const threadId = queuedMessage.thread.id
      await queue.add(threadId, JSON.stringify(queuedMessage))
      noteStored()
      if (isStopped) return
      const threadState = threads.get(threadId)
      if (!threadState) return attend(threadId, {
        hasJoined: false, ownMessages: new Map([[queuedMessage.message.id, queuedMessage]]),
      })
      threadState.hasJoined = true
      threadState.ownMessages.set(queuedMessage.message.id, queuedMessage)
    },
    resume: async threadId => threads.has(threadId)
      ? undefined
      : attend(threadId, { hasJoined: false, ownMessages: new Map() }),
    stop: () => { isStopped = true },
  }
}

async function withLock(state: StateAdapter, lock: Lock, leaseMs: number, act: () => Promise<void>): Promise<void> {
  const heartbeat = setInterval(
    () => void state.extendLock(lock, leaseMs).catch(() => { /* The next attempt may succeed. */ }), leaseMs / 3,
  )
  try {
    await act()
  }
  finally {
    clearInterval(heartbeat)
    await state.releaseLock(lock)
  }
}

/** The message as it arrived here, or restored from the text that another process stored. */
function reviveMessage(text: string, { ownMessages }: ThreadState, bot: Chat): QueuedMessage {
  const { message: { id } } = JSON.parse(text) as StoredMessage
  const ownMessage = ownMessages.get(id)
  ownMessages.delete(id)
  if (ownMessage) return ownMessage
  const { thread: { id: threadId }, message, opens, place = [] } = JSON.parse(text, bot.reviver()) as StoredMessage
  // Use the bot's thread: a restored one lacks the bot's options. Set its message: platforms stream to the author.
  const thread = Object.assign(bot.thread(threadId), { _currentMessage: message })
  return { thread, message: fetchable(message, thread.adapter), opens, place }
}

/** Max threads of one sweep */
const MAX_SWEPT_THREADS = 50

/** Answers messages that a process left behind. Starts the chat platforms only if there are any. */
export async function resumeStalled(
  messages: MessageQueue, leaseMs: number, start: () => Promise<{ chat: Chat, answers: AnswerQueue }>,
  { background }: Runtime,
): Promise<void> {
  const threads = await messages.stalled(leaseMs, MAX_SWEPT_THREADS)
  if (threads.length === 0) return
  const { chat, answers } = await start()
  await chat.initialize()
  for (const thread of threads) background(answers.resume(thread))
}

/** Makes a stored message's attachments loadable again: JSON drops their fetch function, the adapter adds it. */
export function fetchable(message: Message, adapter: Adapter): Message {
  message.attachments = message.attachments.map(attachment => attachment.fetchData
    ? attachment
    : adapter.rehydrateAttachment?.(attachment) ?? attachment)
  return message
}
