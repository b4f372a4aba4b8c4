import type { Adapter, CardElement, Message, Thread } from 'chat'
import { verdictLine, type Approvals } from '../domain/conversation/approvals'
import type { RichText } from '../../shared/types/line'
import { dateTime, rich } from '../../shared/utils/line'
import { visible } from '../../shared/utils/text'
import type { KeptTurn, ProposedCall, ApprovalDecision, WaitingTurn } from '../ports/approvals'
import type { ApprovalView } from '../ports/board'
import type { AgentTurn, Conversation } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { CardRef, Person } from '../ports/submission'
import { fetchable, type QueuedMessage } from './answer-queue'
import { isChannel, type ConversationHandlers } from './conversation'
import { speakerOf, type SpeakerHandlers } from './speaker'
import type { Stops } from './stops'

/** Runs the model in its loop; it remembers only what it is given. */
export interface AgentRunner {
  start(messages: Message[], isDM: boolean, conversation: Conversation): Promise<AgentTurn>
  resume(kept: KeptTurn, conversation: Conversation): Promise<AgentTurn>
  present(turn: WaitingTurn, conversation: Conversation): Promise<ProposedCall[]>
}

export interface AgentHandlers extends SpeakerHandlers {
  /** Loaded on first use. */
  agent: () => Promise<AgentRunner>
  approvals: Approvals
  /** Latest messages of a thread, oldest first. */
  history: (threadId: string) => Promise<Message[]>
  /** Posts the words in as many messages as they need. */
  say: (thread: Thread, words: AsyncIterable<string>) => Promise<void>
  card: (platform: string, view: ApprovalView) => CardElement
  render: ConversationHandlers['render']
  /** Null if the platform has no stop button. */
  stopsOn: (platform: string) => Stops | null
  /** Withdraws the approvals that are pending in the thread. */
  withdraw: (threadId: string, by: Person) => Promise<void>
  log: Log
}

const FAILED = 'That did not work just now. Please ask again in a moment.'

const ABANDONED = 'I was stopped right after this was approved, so I do not know whether it was done. I will not try again by myself, because it must not happen twice. Please check, and ask me again if it is still to be done.'

const UNCERTAIN = 'This was approved, so it may have been done before that. Please check, and ask me again only if it is still to be done.'

/** Answers people through the agent: posts its words to the thread, and cards for calls that need approval. */
export class AgentReplier {
  constructor(private readonly handlers: AgentHandlers) {}

  /** A thread's first turn gets the message alone, later ones its latest messages; a channel always has a history. */
  async reply({ thread, message, opens, place }: QueuedMessage): Promise<void> {
    const speaker = speakerOf(message, thread, this.handlers)
    const conversation: Conversation = {
      threadId: thread.id, channelId: thread.channelId, place, speaker, responsible: () => speaker,
    }
    const begins = opens && !isChannel(thread)
    await this.run(thread, conversation, async (agent) => {
      return agent.start(begins ? [message] : await this.historyOf(thread, message), thread.isDM, conversation)
    })
  }

  /** Continues a turn whose calls are all decided. Never rejects. */
  async resume(kept: KeptTurn, thread: Thread): Promise<void> {
    const { turn } = kept
    const conversation = this.conversationOf(kept, thread.channelId)
    const isWhole = await this.run(thread, conversation, agent => agent.resume(kept, conversation))
    const approved = approvedIn(kept)
    if (!isWhole && approved) await thread.post(`${approved}: ${UNCERTAIN}`).catch(() => {})
    await this.handlers.approvals.finish(turn.id).catch((error: unknown) => this.handlers.log.warn(
      'approval.kept', { turn: turn.id, error },
    ))
  }

  /** Reports in the thread a turn that was taken up and never ended, if any of its calls was approved. */
  async abandon(kept: KeptTurn, thread: Thread): Promise<void> {
    const approved = approvedIn(kept)
    if (approved) await thread.post(`${approved}: ${ABANDONED}`)
  }

  /** The calls of a turn as new cards would show them. @throws when their subject cannot be read */
  async present(turn: WaitingTurn): Promise<readonly ProposedCall[]> {
    const agent = await this.handlers.agent()
    return agent.present(turn, this.conversationOf({ turn, verdicts: [] }, turn.threadId))
  }

  callCard(platform: string, { turn, verdicts }: Pick<KeptTurn, 'turn' | 'verdicts'>, position: number): CardElement {
    const { title, details } = turn.calls[position]!
    const verdict = verdicts[position] ?? null
    const open = verdict === null
    return this.handlers.card(platform, {
      title,
      details: (verdict?.ended ? [] : details).map(detail => (
        { ...detail, label: visible(detail.label), value: visible(detail.value) }
      )),
      notes: notesOf(turn, verdict), value: open ? `${turn.id}.${position}` : null,
    })
  }

  private conversationOf(
    { turn, verdicts }: Pick<KeptTurn, 'turn' | 'verdicts'>, channelId: string,
  ): Conversation {
    const positionOf = (toolCallId: string) => turn.calls.findIndex(call => call.toolCallId === toolCallId)
    return {
      threadId: turn.threadId, channelId, place: this.handlers.approvals.placeOf(turn), speaker: turn.asker,
      responsible: toolCallId => verdicts[positionOf(toolCallId)]?.by ?? turn.asker,
      approvedContent: toolCallId => turn.calls[positionOf(toolCallId)]?.content,
    }
  }

  private async historyOf(thread: Thread, message: Message): Promise<Message[]> {
    const messages = await this.handlers.history(thread.id).catch((error: unknown) => {
      this.handlers.log.warn('agent.history-missing', { platform: thread.adapter.name, error })
      return []
    })
    // The answered message comes last and as it arrived: a platform may list later ones, or not list this one yet.
    const others = messages.filter(({ id }) => id !== message.id)
    return [...others.map(other => fetchable(other, thread.adapter)), message]
  }

  /** Resolves with true if the turn came to its own end. Never rejects. */
  private async run(
    thread: Thread, conversation: Conversation, begin: (agent: AgentRunner) => Promise<AgentTurn>,
  ): Promise<boolean> {
    const { agent, say, stopsOn, withdraw, render, log } = this.handlers
    const { name: platform } = thread.adapter
    let turn: AgentTurn | undefined
    const stopped = { is: false, isClosed: false }
    // Start before the platform offers the button.
    const watched = await stopsOn(platform)?.watch(thread.id, ({ isClosed }) => {
      Object.assign(stopped, { is: true, isClosed })
      turn?.cancel()
    })
    let failure: unknown
    let isWhole = false
    try {
      // Decoration: its failure, or a slow platform, must not delay the answer.
      void thread.startTyping().catch(() => {})
      turn = await begin(await agent())
      if (stopped.is) turn.cancel()
      await say(thread, unlessClosed(turn.words, stopped))
      const { calls, state, isCut } = await turn.outcome()
      if (calls.length > 0) await this.ask(thread, conversation, calls, state)
      isWhole = !isCut
    }
    catch (error) {
      turn?.cancel()
      failure = error ?? new Error('unknown')
    }
    const isEnded = thread.signal.aborted
    const by = await watched?.end(isEnded) ?? null
    // If somebody stopped it, the platform may have closed the message and refused the rest: no failure.
    if (by) await withdraw(thread.id, by).catch(error => log.error('agent.stop-failed', { platform, error }))
    if (by || isEnded) {
      const text = by ? `Stopped by ${by.name}.` : 'Stopped.'
      await thread.post(render({ speech: { text: [text] } }, platform)).catch(() => {})
    }
    else if (failure) {
      log.error('agent.reply-failed', { platform, error: failure })
      await thread.post(FAILED).catch(() => {})
    }
    return isWhole && !by && !isEnded
  }

  /** Posts a card for each call; all calls are on record before the first card can be clicked. */
  private async ask(
    thread: Thread, { speaker, place }: Conversation, calls: readonly ProposedCall[], state: string,
  ): Promise<void> {
    const turn = await this.handlers.approvals.request({ threadId: thread.id, place, asker: speaker, calls, state })
    await this.postCards({ turn, verdicts: calls.map(() => null) }, thread)
  }

  /** Posts a card for each call of a turn that nobody has decided. */
  async postCards({ turn, verdicts }: Pick<KeptTurn, 'turn' | 'verdicts'>, thread: Thread): Promise<void> {
    const { approvals, log } = this.handlers
    const cards: (CardRef | null)[] = turn.calls.map(() => null)
    try {
      for (const [position, { title }] of turn.calls.entries()) {
        if (verdicts[position]) continue
        const card = this.callCard(thread.adapter.name, { turn, verdicts }, position)
        // The SDK may keep this text in the store, so it has no form data.
        const { id: messageId, threadId } = await thread.post({ card, fallbackText: title })
        cards[position] = { platform: thread.adapter.name, threadId, messageId }
      }
    }
    catch (error) {
      // A turn with only some of its cards cannot be decided.
      await approvals.finish(turn.id).catch(() => {})
      throw error
    }
    const kept = await approvals.attach(turn, cards).catch((error: unknown) => {
      log.warn('approval.cards-unknown', { turn: turn.id, error })
    })
    if (kept !== undefined) await this.catchUp(thread.adapter, cards, kept)
    await thread.adapter.endTyping?.(thread.id, 'suspended').catch(() => {})
  }

  /** Updates cards that were posted while somebody ended the turn, who could not know them. */
  private async catchUp(
    adapter: Adapter, cards: readonly (CardRef | null)[], kept: KeptTurn | null,
  ): Promise<void> {
    const outdated = [...cards.entries()].flatMap(([position, card]) => (
      card && (!kept || kept.verdicts[position]) ? { position, ...card } : []
    ))
    await Promise.all(outdated.map(({ position, threadId, messageId }) => (kept
      ? adapter.editMessage(threadId, messageId, this.callCard(adapter.name, kept, position))
      : adapter.deleteMessage(threadId, messageId)
    ).catch((error: unknown) => this.handlers.log.warn('approval.card-stale', { error }))))
  }
}

/** Titles of the approved calls; empty if none. */
function approvedIn({ turn, verdicts }: KeptTurn): string {
  return turn.calls.filter((_, position) => verdicts[position]?.approved).map(({ title }) => title).join(', ')
}

/** Passes the words on. Throws instead of ending if the platform has closed the message. */
async function* unlessClosed(words: AsyncIterable<string>, stopped: { isClosed: boolean }): AsyncGenerator<string> {
  for await (const word of words) {
    if (stopped.isClosed) break
    yield word
  }
  if (stopped.isClosed) throw new Error('The platform has closed the message.')
}

/** Notes on a card. If an answer has several calls, an approved one waits for the others. */
function notesOf(
  { asker, calls: { length: count }, expiresAt }: WaitingTurn, verdict: ApprovalDecision | null,
): RichText[] {
  const asked = `Asked by ${asker.name} on ${asker.platform}`
  const when = count > 1 ? `all ${count} questions of this answer are decided` : 'somebody approves'
  if (!verdict) return [rich`${asked}. Nothing is done before ${when}; this ends on ${dateTime(expiresAt)}.`]
  const waits = verdict.approved && count > 1 ? [`It is done once ${when}.`] : []
  return [asked, rich`${verdictLine(verdict)}, ${dateTime(verdict.at)}`, ...waits]
}
