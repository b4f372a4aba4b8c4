import { randomUUID } from 'node:crypto'
import type { Storage } from 'unstorage'

/** Returns the id of a store. The first process that asks creates it. */
export async function storeId(storage: Storage): Promise<string> {
  const existing = await storage.getItem<string>('id')
  if (existing !== null) return existing
  await storage.setItem('id', randomUUID(), { ifAbsent: true })
  return await storage.getItem('id') as string
}
