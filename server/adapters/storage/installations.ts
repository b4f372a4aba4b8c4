import type { Storage } from 'unstorage'
import { KeyedMutex } from '../../../shared/utils/turns'
import type { Installation, Installations } from '../../ports/installations'

const keyOf = (app: string) => `installation:${app}`

export function createInstallations(storage: Storage): Installations {
  const mutex = new KeyedMutex()
  const find = (app: string) => storage.getItem<Installation>(keyOf(app))
  const keep = (app: string, { channel, within }: Installation, ifAbsent: boolean) => (
    storage.setItem(keyOf(app), { channel, within }, { ifAbsent })
  )
  return {
    find,
    learn: (app, installation) => mutex.run(app, async () => {
      // Another process may store one at the same time: the first one stands.
      if (!await find(app)) await keep(app, installation, true)
      const existing = await find(app)
      if (existing?.within !== installation.within) return existing ?? installation
      if (existing.channel !== installation.channel) await keep(app, installation, false)
      return installation
    }),
    forget: (app, within) => mutex.run(app, async () => {
      const isThere = (await find(app))?.within === within
      if (isThere) await storage.removeItem(keyOf(app))
      return isThere
    }),
  }
}
