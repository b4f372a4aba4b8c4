import { openRedisCopy } from './redis'
import { openSqliteCopy } from './sqlite'
import { sqlitePath } from '../../server/config/store-url'
import type { CopiedTable, StoreCopy, StoredRow } from './rows'
import { StoreUnusable } from '../../server/ports/store'

/** Rows that end within this time after the start of a copy, ms, are copied but not counted: they may be gone soon. */
const UNCOUNTED_MS = 1_800_000

type Counts = Partial<Record<CopiedTable, number>>

/**
 * Copies everything that is kept to an empty store, and counts it there.
 *
 * @param report is told the number of rows so far, now and then
 * @returns the number of rows by table
 * @throws StoreUnusable, and errors of the stores; half a copy is no store, and may be repeated
 */
export async function copyStore(fromUrl: string, toUrl: string, report: (count: number) => void): Promise<Counts> {
  const from = await openCopy(fromUrl, false)
  const to = await openCopy(toUrl, true).catch(async (error: unknown) => {
    await from.close()
    throw error
  })
  try {
    const until = Date.now() + UNCOUNTED_MS
    await requireUnused(from, to)
    await to.begin()
    let total = 0
    const sentCounts = await countRows(from, until, async (rows) => {
      await to.write(rows)
      report(total += rows.length)
    })
    const storedCounts = await countRows(to, until)
    // A service that was started meanwhile changed what was already copied.
    await requireUnused(from, to)
    for (const [table, count = 0] of Object.entries(sentCounts)) {
      const storedCount = storedCounts[table as CopiedTable] ?? 0
      if (storedCount !== count) throw new StoreUnusable(`Of ${count} rows of ${table}, ${storedCount} arrived. Repeat the copy.`)
    }
    await to.finish()
    return sentCounts
  }
  finally {
    await Promise.all([from.close(), to.close()])
  }
}

async function openCopy(url: string, isTarget: boolean): Promise<StoreCopy> {
  const path = sqlitePath(url)
  if (path !== null && path !== '' && path !== ':memory:') return openSqliteCopy(path, isTarget)
  if (/^rediss?:\/\//.test(url)) return openRedisCopy(url)
  throw new StoreUnusable('A store is sqlite:<path of a file>, redis://… or rediss://…')
}

async function requireUnused(...stores: StoreCopy[]): Promise<void> {
  const isUsed = (await Promise.all(stores.map(each => each.isUsed()))).includes(true)
  if (isUsed) throw new StoreUnusable('A service uses one of the two stores. Stop all its processes, and repeat the copy.')
}

/** Counts rows that are still there at the end of the copy. */
async function countRows(
  store: StoreCopy, until: number, take?: (rows: readonly StoredRow[]) => Promise<void>,
): Promise<Counts> {
  const counts: Counts = {}
  for await (const rows of store.rows()) {
    await take?.(rows)
    for (const { table, values } of rows) {
      if ((values.until ?? Infinity) > until) counts[table] = (counts[table] ?? 0) + 1
    }
  }
  return counts
}
