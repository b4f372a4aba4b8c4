import { resolve } from 'node:path'
import { createViteServer } from 'vitest/node'
import { localesPlugin } from '../../build/locales.ts'
import { createClient } from 'redis'
import { percentiles } from './load.ts'
import { only } from '../fakes/only.ts'
import type { Context } from '../../server/domain/context'
import type { ReviewBoard } from '../../server/ports/board'
import { FORM } from './target.ts'

type StoreModule = typeof import('../../server/adapters/redis/store/store')
type Store = InstanceType<StoreModule['RedisStore']>
type LifecycleModule = typeof import('../../server/domain/lifecycle/lifecycle')
type RulesModule = typeof import('../../server/domain/lifecycle/record')
type ListingModule = typeof import('../../server/domain/queries/listing')

const PAGE = 50
const BATCH = 500

/** One in this many submissions contains the searched word. */
const RARE = 1000
const WORD = 'zeppelin'

/** Loads the service's own store from source, to fill Redis faster than over HTTP and to query it directly. */
export async function openStore(redisUrl: string) {
  const vite = await createViteServer({
    plugins: [localesPlugin()],
    configFile: false, root: resolve(import.meta.dirname, '../..'),
    server: { middlewareMode: true, ws: false, watch: null }, appType: 'custom', optimizeDeps: { noDiscovery: true },
  })
  const { RedisStore } = await vite.ssrLoadModule('/server/adapters/redis/store/store.ts') as StoreModule
  const { transition } = await vite.ssrLoadModule('/server/domain/lifecycle/lifecycle.ts') as LifecycleModule
  const { storeRules } = await vite.ssrLoadModule('/server/domain/lifecycle/record.ts') as RulesModule
  const { listRows } = await vite.ssrLoadModule('/server/domain/queries/listing.ts') as ListingModule
  const client = createClient({ url: redisUrl })
  await client.connect()
  let added = 0
  const store: Store = new RedisStore(client as ConstructorParameters<StoreModule['RedisStore']>[0], storeRules)
  return {
    store,
    /** Adds open submissions with posted cards. */
    fill: async (count: number) => {
      for (let done = 0; done < count; done += BATCH) await Promise.all(
        Array.from({ length: Math.min(BATCH, count - done) }, () => (
          add(store, transition, added++ % RARE === 0 ? { ...FORM, subject: WORD } : FORM)
        )),
      )
    },
    /** Median time until a search finds the newest submission with the rare word, ms */
    firstMatch: async (times: number) => {
      const form = { rooms: [], destinations: [], labels: {} }
      const context = only<Context>({
        store, runtime: only<Context['runtime']>({ now: Date.now }), siteUrl: null,
        board: only<ReviewBoard>({ label: key => key, link: async () => null, roomOf: () => '', placeOf: () => [] }),
        forms: { of: () => form, find: () => null, all: [form], rooms: [] },
      })
      const taken: number[] = []
      for (let index = 0; index < times; index++) {
        const startedAt = performance.now()
        for (let before: string | null | undefined, found = 0; found === 0;) {
          const page = await listRows({ limit: PAGE, q: WORD, ...before ? { before } : {} }, context)
          ;[before, found] = [page.cursor, page.found.length]
          if (found === 0 && before === null) throw new Error('The search found nothing.')
        }
        taken.push(performance.now() - startedAt)
      }
      return percentiles(taken).p50
    },
    empty: () => client.flushAll(),
    close: async () => {
      await client.close()
      await vite.close()
    },
  }
}

async function add(store: Store, transition: LifecycleModule['transition'], data: object): Promise<void> {
  const received = transition(
    null, { type: 'received', id: crypto.randomUUID(), data: data as typeof FORM, rooms: [] }, Date.now(), 30_000,
  )
  if ('next' in received) await store.create(received.next)
}

/** Returns the median time for a page of the newest open submissions, ms. */
export async function pageTime(store: Store, times: number): Promise<number> {
  const taken: number[] = []
  for (let index = 0; index < times; index++) {
    const startedAt = performance.now()
    const { submissions } = await store.listPending({ limit: PAGE })
    taken.push(performance.now() - startedAt)
    if (submissions.length !== PAGE) throw new Error(`A page of ${submissions.length}.`)
  }
  return percentiles(taken).p50
}

/** Returns the median times of a page, ms, with few and with many open submissions, measured alternately. */
export async function compareListing(
  redisUrl: string, many: number, rounds: number,
): Promise<{ few: number, many: number }> {
  const { store, fill, empty, close } = await openStore(redisUrl)
  await empty()
  await fill(PAGE)
  await pageTime(store, 100)
  const few: number[] = []
  for (let round = 0; round < rounds; round++) few.push(await pageTime(store, 100))
  await fill(many - PAGE)
  const among: number[] = []
  for (let round = 0; round < rounds; round++) among.push(await pageTime(store, 100))
  await empty()
  await close()
  return { few: percentiles(few).p50, many: percentiles(among).p50 }
}
