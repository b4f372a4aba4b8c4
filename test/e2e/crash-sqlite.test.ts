import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteCardQueue } from '../../server/adapters/sqlite/card-queue'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { armCommit, armVendor } from '../support/crash-points'
import { crashSuite, SITE_ENV } from '../support/crash-suite'
import { deploy } from '../support/deployment'
import { preloaded } from '../support/preloaded'
import { readerOf } from '../support/sqlite'

crashSuite(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'crash-sqlite-'))
  const [path, order] = [join(dir, 'forms.db'), join(dir, 'kill')]
  const d = await deploy({
    STORE_URL: `sqlite:${path}`, ...SITE_ENV, ...preloaded('kill-at-commit.mjs', { KILL_AT_COMMIT: order }),
  })
  const reader = readerOf(path)
  return {
    d, store: new SqliteStore(reader, storeRules), queue: new SqliteCardQueue(reader),
    arm: ({ at }, lateMs) => 'vendor' in at ? armVendor(d, at, lateMs) : armCommit(d, order, at),
    close: async () => {
      await reader.close()
      rmSync(dir, { recursive: true })
    },
  }
})
