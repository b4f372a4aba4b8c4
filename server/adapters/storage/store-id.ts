import { randomUUID } from 'node:crypto'
import { change, type SmallStorage } from './small-storage'

/** Returns the id of a store. The first process that asks creates it. */
export async function storeId(storage: SmallStorage): Promise<string> {
  const id = randomUUID()
  return await change(storage, 'id', existing => existing ?? id) ?? id
}
