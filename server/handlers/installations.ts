import type { Chat, InstalledEvent, UninstalledEvent } from 'chat'
import type { RoomInstallations } from '../domain/operations/room-installations'
import type { Installation } from '../ports/installations'
import type { Log } from '../ports/runtime'

export interface InstallationHandlers {
  rooms: Pick<RoomInstallations, 'installed' | 'removed'>
  installationIn: (event: InstalledEvent | UninstalledEvent) => { app: string, installation: Installation } | null
  log: Log
}

/** Apps that people add to channels and remove from them. */
export function registerInstallations(bot: Chat, { rooms, installationIn, log }: InstallationHandlers): void {
  const hear = (act: 'installed' | 'removed') => async (event: InstalledEvent | UninstalledEvent) => {
    const found = installationIn(event)
    if (!found) return
    await rooms[act](event.adapter.name, found.app, found.installation).catch(error => log.error(
      'installation.lost', { platform: event.adapter.name, error },
    ))
  }
  bot.onInstalled(hear('installed'))
  bot.onUninstalled(hear('removed'))
}
