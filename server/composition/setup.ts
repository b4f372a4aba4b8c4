import type { Setup } from '../../shared/types/setup'
import { checkConfig, type Config } from '../config'
import type { ReviewBoard } from '../ports/board'
import { outside } from '../platforms/registry'

/** What is configured, and how the rest is. */
export async function readSetup(
  { siteUrl, platforms: settings }: Config, board: Pick<ReviewBoard, 'awaits'>,
  { rooms, warnings }: { rooms: readonly string[], warnings: readonly string[] },
): Promise<Setup> {
  return {
    siteUrl, config: checkConfig(), warnings,
    platforms: await Promise.all(outside.map(async ({ key, label, icon, about, needs, channel, setup }) => {
      const isWithoutCards = key in settings && !rooms.some(room => room.split('/')[0] === key)
      return {
        key, label, icon, about, waits: await board.awaits(key) ?? undefined,
        required: channel.instead || isWithoutCards ? needs : [...needs, channel.variable!],
        noCards: isWithoutCards
          ? `People talk with the bot on ${label}, and no cards go there: set ${channel.variable} to have them.`
          : undefined,
        steps: setup(siteUrl, settings[key]),
      }
    })),
  }
}
