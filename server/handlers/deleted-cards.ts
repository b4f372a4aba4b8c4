import type { Chat } from 'chat'
import type { DeletedCards } from '../domain/submission/deleted-cards'
import type { ConversationHandlers } from './conversation'

export interface DeletedCardsHandlers extends Pick<ConversationHandlers, 'here' | 'log'> {
  deletedCards: Pick<DeletedCards, 'deleted'>
}

/** What an adapter tells of a message that its platform took, and did not deliver: why not. */
interface Undelivered {
  undelivered?: string
}

/** Platforms tell of every message that somebody deletes. */
export function registerDeletedCards(bot: Chat, { deletedCards, here, log }: DeletedCardsHandlers): void {
  bot.onMessageDeleted(async ({ adapter, threadId, messageId, raw }) => {
    try {
      const { undelivered } = raw as Undelivered
      const card = { platform: adapter.name, threadId, messageId }
      await deletedCards.deleted(card, await here(threadId, adapter), undelivered)
    }
    catch (error) {
      log.warn('card.deletion-lost', { platform: adapter.name, error })
    }
  })
}
