import type { ReviewBoard } from '../../ports/board'
import type { Log } from '../../ports/runtime'

/** Logs who the bot is on each platform; a token that is refused is named there before the first card needs it. */
export async function introduce(board: Pick<ReviewBoard, 'platforms' | 'identify'>, log: Log): Promise<void> {
  await Promise.all(board.platforms.map(async (platform) => {
    const outcome = await board.identify(platform)
    if (outcome.ok) return outcome.value !== null && log.info('platform.identified', { platform, bot: outcome.value })
    log[outcome.permanent ? 'error' : 'warn'](
      outcome.permanent ? 'platform.refused' : 'platform.unreachable', { platform, reason: outcome.reason },
    )
  }))
}
