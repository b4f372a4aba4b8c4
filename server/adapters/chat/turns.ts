import type { Place } from '../../ports/board'
import type { Chat, Lock, Message, QueueEntry, StateAdapter, Thread } from 'chat'

/** One message and the thread that it stands in. */
export interface Turn {
  thread: Thread
  message: Message
  /** It opened the conversation, as far as could be told when it arrived. */
  opens: boolean
  /** Where it was said; a turn that another version kept knows nothing of it. */
  place: Place
}

/** Messages that wait in one thread at most; beyond, the state forgets the oldest. */
const MOST = 1000

/** How long waiting messages are kept, ms, should everybody who could answer them go away. */
const KEPT_MS = 3_600_000

/** How long a process that died keeps a thread, ms. */
const LOCK_MS = 30_000

/** How often a process whose message another one is to answer looks whether that one is still there, ms. */
const WATCH_MS = 1000

/** An answer that takes longer is left to itself, ms, so that it holds up nobody for ever. */
const LONGEST_ANSWER_MS = 600_000

/**
 * Answers messages one at a time per thread, in order of arrival, over all replicas; resolves when nothing waits any
 * more, or as soon as the message waits for an answer that is being made here.
 *
 * Instead of the SDK's `queue` strategy: that hands a handler the newest message only, drops what is too much or too
 * old, and misses a message that joins between its last look at the queue and the release of its lock.
 * Here whoever releases the lock looks again, so every message that was queued while the lock was held is seen.
 *
 * @param answer may reject: the next message is answered all the same
 */
export function inTurn(bot: Chat, answer: (turn: Turn) => Promise<void>): (turn: Turn) => Promise<void> {
  const lines = new Map<string, Line>()
  return async (turn) => {
    const state = bot.getState()
    const key = `conversation:${turn.thread.id}`
    await state.enqueue(key, entryOf(turn), MOST)
    const line = lines.get(key)
    if (line) {
      line.joined = true
      line.here.set(turn.message.id, turn)
      return
    }
    const own: Line = { joined: false, here: new Map([[turn.message.id, turn]]) }
    lines.set(key, own)
    try {
      await work(state, key, own, async entry => answer(turnOf(entry, own, bot)), () => void lines.delete(key))
    }
    finally {
      if (lines.get(key) === own) lines.delete(key)
    }
  }
}

interface Line {
  /** Something joined since the queue was last looked at. */
  joined: boolean
  /** What arrived in this process, by message id: nothing has to be revived. */
  here: Map<string, Turn>
}

/** @param leave has to happen in the same step as the last look at `joined` */
async function work(state: StateAdapter, key: string, line: Line, answer: (entry: QueueEntry) => Promise<void>, leave: () => void): Promise<void> {
  for (;;) {
    line.joined = false
    const lock = await state.acquireLock(key, LOCK_MS)
    if (lock) await holding(state, lock, () => drain(state, key, answer))
    else await new Promise(resolve => setTimeout(resolve, WATCH_MS))
    const left = await state.queueDepth(key)
    if (left === 0 && !line.joined) return leave()
  }
}

async function drain(state: StateAdapter, key: string, answer: (entry: QueueEntry) => Promise<void>): Promise<void> {
  for (let entry = await state.dequeue(key); entry; entry = await state.dequeue(key)) {
    let timer: NodeJS.Timeout | undefined
    const enough = new Promise<void>((resolve) => { timer = setTimeout(resolve, LONGEST_ANSWER_MS).unref() })
    await Promise.race([answer(entry).catch(() => { /* Told where it happened. */ }), enough])
    clearTimeout(timer)
  }
}

async function holding(state: StateAdapter, lock: Lock, act: () => Promise<void>): Promise<void> {
  const heartbeat = setInterval(() => void state.extendLock(lock, LOCK_MS).catch(() => { /* The next one may get through. */ }), LOCK_MS / 3)
  try {
    await act()
  }
  finally {
    clearInterval(heartbeat)
    await state.releaseLock(lock)
  }
}

/** As text, which another process revives: the state's own JSON would leave bare objects. */
function entryOf({ thread, message, opens, place }: Turn): QueueEntry {
  const turn = JSON.stringify({ thread, message, opens, place })
  return { message: turn as never, enqueuedAt: Date.now(), expiresAt: Date.now() + KEPT_MS }
}

function turnOf({ message: text }: QueueEntry, { here }: Line, bot: Chat): Turn {
  const { message: { id } } = JSON.parse(text as never) as Turn
  const own = here.get(id)
  here.delete(id)
  if (own) return own
  const turn = JSON.parse(text as never, bot.reviver()) as Turn
  turn.place ??= []
  const { adapter } = turn.thread
  // JSON drops how an attachment is fetched; the adapter knows.
  turn.message.attachments = turn.message.attachments.map(attachment => adapter.rehydrateAttachment?.(attachment) ?? attachment)
  return turn
}
