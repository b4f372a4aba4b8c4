import { join } from 'node:path'
import { Database } from '../../server/adapters/sqlite/database'
import { createSqliteDrafts } from '../../server/adapters/sqlite/drafts'
import { createSqliteLimiter, type Limit } from '../../server/adapters/sqlite/limiter'
import { SqliteState } from '../../server/adapters/sqlite/state'
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
