import { createHash } from 'node:crypto'
import type { StateAdapter } from 'chat'

/** How long it is remembered, ms; after that the platform is told again, in case somebody changed it there. */
const TTL_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Tells a platform something that it keeps, and whichever replica starts next only what has changed since.
 *
 * @param key what it is about, in the state that the replicas share
 */
export async function tellOnce<T extends object>(
  state: StateAdapter, key: string, content: T, tell: (content: T) => Promise<unknown>,
): Promise<void> {
  const told = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
  if (await state.get(`told:${key}`) === told) return
  await tell(content)
  await state.set(`told:${key}`, told, TTL_MS)
}
