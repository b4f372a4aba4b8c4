import type { Rest, RestBook } from '../../ports/delivery'
import { change, keyPart, type SmallStorage } from './small-storage'

const keyOf = (receiver: string) => `rest:${keyPart(receiver)}`

const parse = (text: string | null) => text === null ? null : JSON.parse(text) as Rest

export function createRestBook(storage: SmallStorage): RestBook {
  return {
    read: async receiver => parse(await storage.getItemRaw<string>(keyOf(receiver))),
    async change(receiver, next) {
      let last: Rest | null = null
      await change(storage, keyOf(receiver), (text) => {
        last = next(parse(text))
        return last && JSON.stringify(last)
      })
      return last
    },
  }
}
