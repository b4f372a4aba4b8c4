import type { Deployment } from '../deployment'
import { endAfterAll } from '../lifetime'
import { until } from '../until'
import { startDiscord } from './discord'

/** Starts a deployment connected to its own Discord double, for all tests of a file. */
export async function withDiscord<D extends Deployment>(
  deploy: (env: Record<string, string>) => Promise<D>, overrides: Record<string, string> = {},
) {
  const discord = endAfterAll(await startDiscord())
  const d = endAfterAll(await deploy({ ...discord.env, ...overrides }))
  await until('the listener', () => discord.gateway.live() === 1)
  return { d, discord }
}
