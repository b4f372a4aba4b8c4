import type { Chat, InstalledEvent, UninstalledEvent } from 'chat'
import type { RoomInstallations } from '../domain/operations/room-installations'
import type { DeletedCards } from '../domain/cards/deleted-cards'
import type { Installation } from '../ports/installations'
import type { Log } from '../ports/runtime'
import type { Here } from './speaker'

export interface RoomEventHandlers {
  here: Here
  log: Log
  deletedCards: DeletedCards
  installations: RoomInstallations
  installationIn: (event: InstalledEvent | UninstalledEvent) => { app: string, installation: Installation } | null
}

/** Raw data of a message that its platform accepted and did not deliver, with the reason */
interface Undelivered {
  undelivered?: string
}

/** Handles deleted messages (platforms report every one), and apps added to channels or removed. */
export function registerRoomEvents(
  bot: Chat, { deletedCards, installations, installationIn, here: resolveScope, log }: RoomEventHandlers,
): void {
  bot.onMessageDeleted(async ({ adapter, threadId, messageId, raw }) => {
    try {
      const { undelivered } = raw as Undelivered
      const card = { platform: adapter.name, threadId, messageId }
      await deletedCards.deleted(card, await resolveScope(threadId, adapter), undelivered)
    }
    catch (error) {
      log.warn('card.deletion-lost', { platform: adapter.name, error })
    }
  })

  const handleInstallation = (action: 'installed' | 'removed') => async (event: InstalledEvent | UninstalledEvent) => {
    const appInstallation = installationIn(event)
    if (!appInstallation) return
    await installations[action](
      event.adapter.name, appInstallation.app, appInstallation.installation,
    ).catch(error => log.error('installation.lost', { platform: event.adapter.name, error }))
  }
  bot.onInstalled(handleInstallation('installed'))
  bot.onUninstalled(handleInstallation('removed'))
}
