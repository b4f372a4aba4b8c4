import type { Setup } from '../../shared/types/setup'
import { checkConfig, type Config } from '../config'
import type { ReviewBoard } from '../ports/board'
import { outside } from '../platforms/registry'

/** What is configured, and how the rest is. */
export async function readSetup(
  { siteUrl, platforms: settings }: Config, board: Pick<ReviewBoard, 'awaits'>,
): Promise<Setup> {
  return {
    siteUrl, config: checkConfig(),
    platforms: await Promise.all(outside.map(async ({ key, label, icon, about, needs, setup }) => ({
      key, label, icon, about, required: needs, waits: await board.awaits(key) ?? undefined,
      steps: setup(siteUrl, settings[key]),
    }))),
  }
}
