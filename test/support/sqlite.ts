import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Database } from '../../server/adapters/sqlite/database'
import { createSqliteDrafts } from '../../server/adapters/sqlite/drafts'
import { createSqliteLimiter, type Limit } from '../../server/adapters/sqlite/limiter'
import { SqliteState } from '../../server/adapters/sqlite/state'
import { only } from '../fakes/only'
import { endAfterTest, testFolder } from './lifetime'

/** New database in memory */
export const memoryDatabase = (now?: () => number) => new Database(':memory:', now)

/** Database in a file, closed when the test ends */
export const fileDatabase = (path = join(testFolder(), 'forms.db'), now?: () => number) => (
  endAfterTest(new Database(path, now))
)

/** Drafts of a new, empty database */
export const memoryDrafts = () => createSqliteDrafts(memoryDatabase())

/** Limiter of a new, empty database */
export const memoryLimiter = (limit: Limit) => createSqliteLimiter(memoryDatabase(), limit)

/** State of the Chat SDK in a new, empty database */
export const memoryState = () => new SqliteState(memoryDatabase())

/** Reads a file that a server has open, and works on while that is killed and starts again. */
export function readerOf(path: string): Database {
  const db = new DatabaseSync(path, { readOnly: true })
  return only<Database>({
    now: Date.now,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => db.prepare(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SQLInputValue[]) => db.prepare(sql).get(...values) as Row | undefined,
    close: async () => db.close(),
  })
}
