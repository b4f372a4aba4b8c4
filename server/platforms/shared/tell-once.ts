import { createHash } from 'node:crypto'
import type { StateAdapter } from 'chat'

/** Time for which the content is remembered, ms; then it is sent again, in case somebody changed it on the platform. */
const TTL_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Sends content that the platform stores. After a restart, sends it only if it has changed. Replicas share this memory.
 *
 * @param key key of the content in the shared state
 */
export async function tellOnce<T extends object>(
  state: StateAdapter, key: string, content: T, send: (content: T) => Promise<unknown>,
): Promise<void> {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
  if (await state.get(`told:${key}`) === hash) return
  await send(content)
  await state.set(`told:${key}`, hash, TTL_MS)
}
