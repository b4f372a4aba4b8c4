import type { ActionEvent, Adapter, Chat, Thread } from 'chat'
import type { Context } from '../domain/context'
import type { Approvals } from '../domain/conversation/approvals'
import type { JudgedTurn, KeptTurn } from '../ports/approvals'
import type { Log, Runtime } from '../ports/runtime'
import type { Person } from '../ports/submission'
import type { AgentReplier } from './agent'
import { tellPrivately, type Here, type PrivatelyHandlers, type SpeakerHandlers } from './speaker'
import { reviewerOf } from './review'

export interface ApprovalHandlers extends PrivatelyHandlers, SpeakerHandlers {
  here: Here
  approvals: Approvals
  replier: AgentReplier
  runtime: Runtime
}

const TITLE = 'Approval'

const NO_MODEL = 'No language model is set up here any more, so nothing was done. Decide on the card of the form, or ask whoever runs this service to set AI_GATEWAY_API_KEY or AI_BASE_URL again.'

const FAILED_TEXT = 'That did not work just now. Nothing was done: press the button again in a moment.'

const OUTDATED_TEXT = 'It changed after this was asked, so nothing was done. Decide on the new card, which shows its current content.'

/** Registers the two buttons of an approval card. */
export function registerApprovals(bot: Chat, handlers: ApprovalHandlers): void {
  onDecision(bot, async (event, id, position) => {
    try {
      await decide(event, id, position, handlers)
    }
    catch (error) {
      handlers.log.error('approval.failed', { turn: id, platform: event.adapter.name, error })
      await tellPrivately(event, FAILED_TEXT, TITLE, handlers)
    }
  })
}

/** Registers the same buttons for cards that are left after the model was removed. */
export function registerLeftApprovals(bot: Chat, handlers: PrivatelyHandlers): void {
  onDecision(bot, event => tellPrivately(event, NO_MODEL, TITLE, handlers))
}

function onDecision(bot: Chat, act: (event: CardClick, id: string, position: number) => Promise<void>): void {
  bot.onAction(['approve', 'deny'], async (event) => {
    const [id, position] = /^([\w-]{1,80})\.(\d{1,3})$/.exec(event.value ?? '')?.slice(1) ?? []
    if (id && position && event.thread) await act(event as CardClick, id, Number(position))
  })
}

type CardClick = ActionEvent & { thread: Thread }

async function decide(event: CardClick, id: string, position: number, handlers: ApprovalHandlers): Promise<void> {
  const { approvals, replier, here: resolveScope, runtime } = handlers
  const [reviewer, place] = await Promise.all([
    reviewerOf(event, handlers), resolveScope(event.threadId, event.adapter),
  ])
  const result = await approvals.decide(id, position, event.actionId === 'approve', { ...reviewer, place })
  if ('refused' in result) {
    if (result.refused === 'taken' && result.kept) runtime.background(update(event, result.kept, position, handlers))
    return tellPrivately(event, result.message, TITLE, handlers)
  }
  if ('again' in result) {
    const { outdated: outdatedTurn, again: newTurn } = result
    await replier.postCards(newTurn, event.thread)
    const clickedCard = { platform: event.adapter.name, threadId: event.threadId, messageId: event.messageId }
    for (const [index, card] of outdatedTurn.cards.with(position, clickedCard).entries()) {
      if (card) runtime.background(update({ ...card, adapter: event.adapter }, outdatedTurn, index, handlers))
    }
    return tellPrivately(event, OUTDATED_TEXT, TITLE, handlers)
  }
  const { turn, verdict, resume } = result
  runtime.background(
    update(
      event, { turn, verdicts: turn.calls.map((_, index) => index === position ? verdict : null) }, position, handlers,
    ),
  )
  // Use the click's own thread, because its platform may stream only to a person. Run in the background, because the
  // click waits for its answer.
  if (resume) runtime.background(replier.resume(resume, event.thread))
}

/** Parts that update the cards of a turn */
interface CardUpdates {
  replier: AgentReplier
  log: Log
}

async function update(
  { adapter, threadId, messageId }: { adapter: Adapter, threadId: string, messageId: string },
  { turn, verdicts }: JudgedTurn, position: number, { replier, log }: CardUpdates,
): Promise<void> {
  await adapter.editMessage(
    threadId, messageId, replier.callCard(adapter.name, { turn, verdicts }, position),
  ).catch((error: unknown) => {
    log.warn('approval.card-stale', { turn: turn.id, error })
  })
}

/** Withdraws the pending approvals of a thread. Their cards then show who withdrew them, and have no buttons. */
export async function withdrawApprovals(
  bot: Chat, threadId: string, by: Person,
  { approvals, replier, log }: CardUpdates & { approvals: Approvals },
): Promise<void> {
  await updateAll(bot, await approvals.withdraw(threadId, by), { replier, log })
}

/**
 * Withdraws pending approvals about a submission whose form data is gone; their cards then say only that.
 *
 * @param start as for `sweepApprovals`
 */
export async function forgetApprovals(
  submission: string, start: () => Promise<{ bot: Chat, replier: AgentReplier }>,
  approvals: Approvals, log: Log,
): Promise<void> {
  const withdrawnTurns = await approvals.forget(submission)
  if (withdrawnTurns.length === 0) return
  const { bot, replier } = await start()
  await updateAll(bot, withdrawnTurns, { replier, log })
}

async function updateAll(
  bot: Chat, turns: readonly KeptTurn[], handlers: CardUpdates,
): Promise<void> {
  await Promise.all(turns.flatMap(keptTurn => keptTurn.cards.map((card, position) => card && update(
    { ...card, adapter: bot.getAdapter(card.platform) }, keptTurn, position, handlers,
  ))))
}

/**
 * Ends approvals that ran out of time: their cards say so, and the model explains.
 *
 * @param start starts the chat platforms; called only if there is something to update
 */
export async function sweepApprovals(
  start: () => Promise<{ bot: Chat, replier: AgentReplier }>,
  approvals: Approvals, { runtime, log }: Context,
): Promise<void> {
  const { expired: expiredTurns, abandoned: abandonedTurns } = await approvals.sweep()
  if (expiredTurns.length + abandonedTurns.length === 0) return
  const { bot, replier } = await start()
  // Skip platforms that are not configured any more.
  const isConfigured = ({ turn }: KeptTurn) => {
    return (bot.getAdapter(turn.threadId.split(':')[0]!) as Adapter | undefined) !== undefined
  }
  for (const keptTurn of expiredTurns.filter(isConfigured)) {
    for (const [position, card] of keptTurn.cards.entries()) if (card) runtime.background(
      update({ ...card, adapter: bot.getAdapter(card.platform) }, keptTurn, position, { replier, log }),
    )
    runtime.background(replier.resume(keptTurn, bot.thread(keptTurn.turn.threadId)))
  }
  for (const keptTurn of abandonedTurns.filter(isConfigured)) {
    runtime.background(replier.abandon(keptTurn, bot.thread(keptTurn.turn.threadId)))
  }
}
