import type { Adapter, CardElement, Message, Thread } from 'chat'
import { verdictLine, type Approvals } from '../domain/conversation/approvals'
import type { RichText } from '../../shared/types/line'
import { dateTime, rich } from '../../shared/utils/line'
import { visible } from '../../shared/utils/text'
import type { JudgedTurn, KeptTurn, ProposedCall, ApprovalDecision, WaitingTurn } from '../ports/approvals'
import type { ApprovalView } from '../ports/board'
import type { AgentTurn, Conversation } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { CardRef, Person } from '../ports/submission'
import { fetchable, type QueuedMessage } from './answer-queue'
import { isChannel } from './conversation'
import { speakerOf, type Render, type SpeakerHandlers } from './speaker'
import type { Stops } from './stops'

/** Runs the model in a loop. Remembers nothing between calls. */
export interface AgentRunner {
  start(messages: Message[], isDM: boolean, conversation: Conversation): Promise<AgentTurn>
  resume(keptTurn: KeptTurn, conversation: Conversation): Promise<AgentTurn>
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
  render: Render
  /** Null if the platform has no stop button. */
  stopsOn: (platform: string) => Stops | null
  /** Withdraws the approvals that are pending in the thread. */
  withdraw: (threadId: string, by: Person) => Promise<void>
  log: Log
}

const FAILED_TEXT = 'That did not work just now. Please ask again in a moment.'

const ABANDONED_TEXT = 'I was stopped right after this was approved, so I do not know whether it was done. I will not try again by myself, because it must not happen twice. Please check, and ask me again if it is still to be done.'

const UNCERTAIN_TEXT = 'This was approved, so it may have been done before that. Please check, and ask me again only if it is still to be done.'

/** Answers people through the agent: posts its words to the thread, and cards for calls that need approval. */
export class AgentReplier {
  constructor(private readonly handlers: AgentHandlers) {}

  /** Answers a message. A thread's first turn gets it alone; later turns, and channels, get the latest messages. */
  async reply({ thread, message, opens, place }: QueuedMessage): Promise<void> {
    const speaker = speakerOf(message, thread, this.handlers)
    const conversation: Conversation = {
      threadId: thread.id, channelId: thread.channelId, place, speaker, responsible: () => speaker,
    }
    const isOpening = opens && !isChannel(thread)
    await this.run(thread, conversation, async (agent) => {
      return agent.start(isOpening ? [message] : await this.historyOf(thread, message), thread.isDM, conversation)
    })
  }

  /** Continues a turn whose calls are all decided. Never rejects. */
  async resume(keptTurn: KeptTurn, thread: Thread): Promise<void> {
    const { turn } = keptTurn
    const conversation = this.conversationOf(keptTurn, thread.channelId)
    const isWhole = await this.run(thread, conversation, agent => agent.resume(keptTurn, conversation))
    const approvedTitles = approvedTitlesOf(keptTurn)
    if (!isWhole && approvedTitles) await thread.post(`${approvedTitles}: ${UNCERTAIN_TEXT}`).catch(() => {})
    await this.handlers.approvals.finish(turn.id).catch((error: unknown) => this.handlers.log.warn(
      'approval.kept', { turn: turn.id, error },
    ))
  }

  /** Reports a turn that was started but never finished, in its thread, if any of its calls was approved. */
  async abandon(keptTurn: KeptTurn, thread: Thread): Promise<void> {
    const approvedTitles = approvedTitlesOf(keptTurn)
    if (approvedTitles) await thread.post(`${approvedTitles}: ${ABANDONED_TEXT}`)
  }

  /** The calls of a turn as new cards would show them. @throws when their subject cannot be read */
  async present(turn: WaitingTurn): Promise<readonly ProposedCall[]> {
    const agent = await this.handlers.agent()
    return agent.present(turn, this.conversationOf({ turn, verdicts: [] }, turn.threadId))
  }

  callCard(platform: string, { turn, verdicts }: JudgedTurn, position: number): CardElement {
    const { title, details } = turn.calls[position]!
    const verdict = verdicts[position] ?? null
    const isOpen = verdict === null
    return this.handlers.card(platform, {
      title,
      details: (verdict?.ended ? [] : details).map(detail => (
        { ...detail, label: visible(detail.label), value: visible(detail.value) }
      )),
      notes: notesOf(turn, verdict), value: isOpen ? `${turn.id}.${position}` : null,
    })
  }

  private conversationOf({ turn, verdicts }: JudgedTurn, channelId: string): Conversation {
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
    // Put the answered message last, as it arrived: a platform may list later messages, or not list this one yet.
    const otherMessages = messages.filter(({ id }) => id !== message.id)
    return [...otherMessages.map(other => fetchable(other, thread.adapter)), message]
  }

  /** Resolves with true if the turn ended by itself. Never rejects. */
  private async run(
    thread: Thread, conversation: Conversation, begin: (agent: AgentRunner) => Promise<AgentTurn>,
  ): Promise<boolean> {
    const { agent, say, stopsOn, withdraw, render, log } = this.handlers
    const { name: platform } = thread.adapter
    let turn: AgentTurn | undefined
    const stopState = { is: false, isClosed: false }
    // Start before the platform offers the button.
    const stoppable = await stopsOn(platform)?.watch(thread.id, ({ isClosed }) => {
      Object.assign(stopState, { is: true, isClosed })
      turn?.cancel()
    })
    let failure: unknown
    let isWhole = false
    try {
      // Optional: a failure or a slow platform must not delay the answer.
      void thread.startTyping().catch(() => {})
      turn = await begin(await agent())
      if (stopState.is) turn.cancel()
      await say(thread, passWords(turn.words, stopState))
      const { calls, state, isCut } = await turn.outcome()
      if (calls.length > 0) await this.ask(thread, conversation, calls, state)
      isWhole = !isCut
    }
    catch (error) {
      turn?.cancel()
      failure = error ?? new Error('unknown')
    }
    const isEnded = thread.signal.aborted
    const stopper = await stoppable?.end(isEnded) ?? null
    // After a stop, the platform may close the message and refuse the rest: this is no failure.
    if (stopper) await withdraw(thread.id, stopper).catch(error => log.error('agent.stop-failed', { platform, error }))
    if (stopper || isEnded) {
      const text = stopper ? `Stopped by ${stopper.name}.` : 'Stopped.'
      await thread.post(render({ speech: { text: [text] } }, platform)).catch(() => {})
    }
    else if (failure) {
      log.error('agent.reply-failed', { platform, error: failure })
      await thread.post(FAILED_TEXT).catch(() => {})
    }
    return isWhole && !stopper && !isEnded
  }

  /** Posts a card for each call; all calls are on record before the first card can be clicked. */
  private async ask(
    thread: Thread, { speaker, place }: Conversation, calls: readonly ProposedCall[], state: string,
  ): Promise<void> {
    const turn = await this.handlers.approvals.request({ threadId: thread.id, place, asker: speaker, calls, state })
    await this.postCards({ turn, verdicts: calls.map(() => null) }, thread)
  }

  /** Posts a card for each undecided call of a turn. */
  async postCards({ turn, verdicts }: JudgedTurn, thread: Thread): Promise<void> {
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
    const keptTurn = await approvals.attach(turn, cards).catch((error: unknown) => {
      log.warn('approval.cards-unknown', { turn: turn.id, error })
    })
    if (keptTurn !== undefined) await this.catchUp(thread.adapter, cards, keptTurn)
    await thread.adapter.endTyping?.(thread.id, 'suspended').catch(() => {})
  }

  /** Updates cards that were still being posted when somebody ended the turn, and were not updated then. */
  private async catchUp(
    adapter: Adapter, cards: readonly (CardRef | null)[], keptTurn: KeptTurn | null,
  ): Promise<void> {
    const outdatedCards = [...cards.entries()].flatMap(([position, card]) => (
      card && (!keptTurn || keptTurn.verdicts[position]) ? { position, ...card } : []
    ))
    await Promise.all(outdatedCards.map(({ position, threadId, messageId }) => (keptTurn
      ? adapter.editMessage(threadId, messageId, this.callCard(adapter.name, keptTurn, position))
      : adapter.deleteMessage(threadId, messageId)
    ).catch((error: unknown) => this.handlers.log.warn('approval.card-stale', { error }))))
  }
}

/** Titles of the approved calls; empty if none. */
function approvedTitlesOf({ turn, verdicts }: KeptTurn): string {
  return turn.calls.filter((_, position) => verdicts[position]?.approved).map(({ title }) => title).join(', ')
}

/** Passes the words on. Throws instead of ending if the platform has closed the message. */
async function* passWords(words: AsyncIterable<string>, stopState: { isClosed: boolean }): AsyncGenerator<string> {
  for await (const word of words) {
    if (stopState.isClosed) break
    yield word
  }
  if (stopState.isClosed) throw new Error('The platform has closed the message.')
}

/** Notes on a card. If an answer has several calls, an approved one waits for the others. */
function notesOf(
  { asker, calls: { length: count }, expiresAt }: WaitingTurn, verdict: ApprovalDecision | null,
): RichText[] {
  const askedLine = `Asked by ${asker.name} on ${asker.platform}`
  const condition = count > 1 ? `all ${count} questions of this answer are decided` : 'somebody approves'
  if (!verdict) return [rich`${askedLine}. Nothing is done before ${condition}; this ends on ${dateTime(expiresAt)}.`]
  const waitNotes = verdict.approved && count > 1 ? [`It is done once ${condition}.`] : []
  return [askedLine, rich`${verdictLine(verdict)}, ${dateTime(verdict.at)}`, ...waitNotes]
}
