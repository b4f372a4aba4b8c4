import type { Deployment } from '../deployment'
import { until } from '../until'
import { startDiscord } from './discord'
import type { DiscordDouble } from './types'

/** A deployment that listens to a Discord of its own, which closes with it. */
export async function withDiscord<D extends Deployment>(
  deploy: (env: Record<string, string>) => Promise<D>, overrides: Record<string, string> = {},
): Promise<{ d: D, discord: DiscordDouble }> {
  const discord = await startDiscord()
  const d = await deploy({ ...discord.env, ...overrides })
  const { close } = d
  d.close = async () => {
    await close()
    await discord.close()
  }
  await until('the listener', () => discord.gateway.live() === 1)
  return { d, discord }
}
