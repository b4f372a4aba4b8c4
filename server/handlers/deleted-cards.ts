import type { Chat } from 'chat'
import type { DeletedCards } from '../domain/submission/deleted-cards'
import type { ConversationHandlers } from './conversation'

export interface DeletedCardsHandlers extends Pick<ConversationHandlers, 'here' | 'log'> {
  deletedCards: Pick<DeletedCards, 'deleted'>
}

/** Platforms tell of every message that somebody deletes. */
export function registerDeletedCards(bot: Chat, { deletedCards, here, log }: DeletedCardsHandlers): void {
  bot.onMessageDeleted(async ({ adapter, threadId, messageId }) => {
    try {
      await deletedCards.deleted({ platform: adapter.name, threadId, messageId }, await here(threadId, adapter))
    }
    catch (error) {
      log.warn('card.deletion-lost', { platform: adapter.name, error })
    }
  })
}
