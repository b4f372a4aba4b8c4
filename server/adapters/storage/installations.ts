import type { Installation, Installations } from '../../ports/installations'
import { change, type SmallStorage } from './small-storage'

const keyOf = (app: string) => `installation:${app}`

const parse = (text: string | null) => text === null ? null : JSON.parse(text) as Installation

export function createInstallations(storage: SmallStorage): Installations {
  return {
    find: async app => parse(await storage.getItemRaw<string>(keyOf(app))),
    async learn(app, { channel, within }) {
      const isFree = (existing: Installation | null) => !existing || existing.within === within
      const existing = parse(await change(storage, keyOf(app), text => (
        isFree(parse(text)) ? JSON.stringify({ channel, within }) : text
      )))
      return existing && !isFree(existing) ? existing : { channel, within }
    },
    async forget(app, within) {
      const isMeant = (text: string | null) => parse(text)?.within === within
      return isMeant(await change(storage, keyOf(app), text => isMeant(text) ? null : text))
    },
  }
}
