import type { CardElement, Message, Thread } from 'chat'
import { verdictLine, type Approvals } from '../domain/conversation/approvals'
import { readTime } from '../domain/submission/present'
import { visible } from '../../shared/utils/text'
import type { KeptTurn, ProposedCall, Verdict, WaitingTurn } from '../ports/approvals'
import type { Field, Place } from '../ports/board'
import type { AgentTurn, Conversation } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { CardRef, Reviewer } from '../ports/submission'

/** The model in its loop; what it remembers is what it is given. */
export interface Agent {
  start(messages: Message[], isDM: boolean, conversation: Conversation): Promise<AgentTurn>
  resume(kept: KeptTurn, conversation: Conversation): Promise<AgentTurn>
}

/** What the card of a call says; `value` is null when nothing is left to decide. */
interface ApprovalView {
  title: string
  details: readonly Field[]
  notes: readonly string[]
  value: string | null
}

export interface AgentHandlers {
  /** Loaded on first use. */
  agent: () => Promise<Agent>
  approvals: Approvals
  /** The last messages of a thread, oldest first. */
  history: (threadId: string) => Promise<Message[]>
  /** Says the words in as many messages as they need. */
  say: (thread: Thread, words: AsyncIterable<string>) => Promise<void>
  card: (platform: string, view: ApprovalView) => CardElement
  platformLabel: (key: string) => string
  log: Log
}

const FAILED = 'That did not work just now. Please ask again in a moment.'

const ABANDONED = 'I was stopped right after this was approved, so I do not know whether it was done. I will not try again by myself, because it must not happen twice. Please check, and ask me again if it is still to be done.'

/** Answers people through the agent: what it says goes to the thread, what it must not do by itself onto cards. */
export class AgentReplier {
  constructor(private readonly handlers: AgentHandlers) {}

  /** The first turn knows the message alone. */
  async welcome(thread: Thread, message: Message, place: Place): Promise<void> {
    await this.answer(thread, message, place, async () => [message])
  }

  /** Later turns know the last messages of the thread. */
  async reply(thread: Thread, message: Message, place: Place): Promise<void> {
    await this.answer(thread, message, place, async () => {
      const messages = await this.handlers.history(thread.id).catch((error: unknown) => {
        this.handlers.log.warn('agent.history-missing', { platform: thread.adapter.name, error })
        return []
      })
      // A platform may not list yet what it has just sent.
      return messages.some(({ id }) => id === message.id) ? messages : [...messages, message]
    })
  }

  /** Goes on with a turn whose calls are all decided. Never rejects. */
  async resume(kept: KeptTurn, thread: Thread): Promise<void> {
    const { turn, verdicts } = kept
    const conversation: Conversation = {
      threadId: turn.threadId, channelId: thread.channelId, place: this.handlers.approvals.placeOf(turn),
      speaker: turn.asker,
      responsible: toolCallId => verdicts[turn.calls.findIndex(call => call.toolCallId === toolCallId)]?.by
        ?? turn.asker,
    }
    await this.run(thread, conversation, agent => agent.resume(kept, conversation))
    await this.handlers.approvals.finish(turn.id).catch((error: unknown) => this.handlers.log.warn(
      'approval.kept', { turn: turn.id, error },
    ))
  }

  /** Tells the thread of a turn that was taken and never ended. */
  async abandon({ turn }: KeptTurn, thread: Thread): Promise<void> {
    const names = turn.calls.map(({ title }) => title).join(', ')
    await thread.post(`${names}: ${ABANDONED}`)
  }

  /** What a card shows of a call. */
  callCard(platform: string, { turn, verdicts }: Pick<KeptTurn, 'turn' | 'verdicts'>, position: number): CardElement {
    const { title, details } = turn.calls[position]!
    const verdict = verdicts[position] ?? null
    const open = verdict === null
    return this.handlers.card(platform, {
      title,
      details: details.map(detail => ({ ...detail, label: visible(detail.label), value: visible(detail.value) })),
      notes: notesOf(turn, verdict), value: open ? `${turn.id}.${position}` : null,
    })
  }

  private async answer(
    thread: Thread, { author }: Message, place: Place, messages: () => Promise<Message[]>,
  ): Promise<void> {
    const speaker: Reviewer = {
      id: author.userId, name: visible(author.fullName), platform: this.handlers.platformLabel(thread.adapter.name),
    }
    const conversation: Conversation = {
      threadId: thread.id, channelId: thread.channelId, place, speaker, responsible: () => speaker,
    }
    await this.run(thread, conversation, async agent => agent.start(await messages(), thread.isDM, conversation))
  }

  private async run(
    thread: Thread, conversation: Conversation, begin: (agent: Agent) => Promise<AgentTurn>,
  ): Promise<void> {
    const { agent, say, log } = this.handlers
    let turn: AgentTurn | undefined
    try {
      // Decoration: its failure, or a slow platform, must not hold up the answer.
      void thread.startTyping().catch(() => {})
      turn = await begin(await agent())
      // The platform's own stop button.
      thread.signal?.addEventListener('abort', () => turn?.cancel(), { once: true })
      await say(thread, turn.words)
      const { calls, state } = await turn.outcome()
      if (calls.length > 0) await this.ask(thread, conversation, calls, state)
    }
    catch (error) {
      turn?.cancel()
      log.error('agent.reply-failed', { platform: thread.adapter.name, error })
      await thread.post(FAILED).catch(() => {})
    }
  }

  /** One card for each call; all of them are on record before the first can be clicked. */
  private async ask(
    thread: Thread, { speaker, place }: Conversation, calls: readonly ProposedCall[], state: string,
  ): Promise<void> {
    const { approvals, log } = this.handlers
    const turn = await approvals.request({ threadId: thread.id, place, asker: speaker, calls, state })
    const verdicts = calls.map(() => null)
    const cards: CardRef[] = []
    try {
      for (const position of calls.keys()) {
        const { id: messageId, threadId } = await thread.post(
          this.callCard(thread.adapter.name, { turn, verdicts }, position),
        )
        cards.push({ platform: thread.adapter.name, threadId, messageId })
      }
    }
    catch (error) {
      // Half a question cannot be answered.
      await approvals.finish(turn.id).catch(() => {})
      throw error
    }
    await approvals.attach(turn, cards).catch((error: unknown) => log.warn(
      'approval.cards-unknown', { turn: turn.id, error },
    ))
  }
}

function notesOf(turn: WaitingTurn, verdict: Verdict | null): string[] {
  const asked = `Asked by ${turn.asker.name} on ${turn.asker.platform}`
  return verdict
    ? [asked, `${verdictLine(verdict)}, ${readTime(verdict.at)}`]
    : [`${asked}. Nothing is done before somebody approves; this ends on ${readTime(turn.expiresAt)}.`]
}
