import { randomBytes } from 'node:crypto'
import type { StateAdapter } from 'chat'
import type { SmallStorage } from '../adapters/storage/small-storage'
import { createFormFiles } from '../adapters/files/form-files'
import { RedisApprovals } from '../adapters/redis/approvals'
import { REDIS_TIMEOUT_MS } from '../adapters/redis/connection/calls'
import { RedisCardQueue } from '../adapters/redis/card-queue'
import { boundedCall, createRedis } from '../adapters/redis/connection/client'
import { clockOf } from '../adapters/redis/connection/clock'
import { createRedisDrafts } from '../adapters/redis/drafts'
import { createRedisLimiter } from '../adapters/redis/limiter'
import { RedisMessageQueue } from '../adapters/redis/message-queue'
import { adviceOf } from '../adapters/redis/connection/server-info'
import { createRedisStorage } from '../adapters/redis/storage'
import { RedisStore } from '../adapters/redis/store/store'
import { SqliteApprovals } from '../adapters/sqlite/approvals'
import { SqliteCardQueue } from '../adapters/sqlite/card-queue'
import { Database } from '../adapters/sqlite/database'
import { createSqliteDrafts } from '../adapters/sqlite/drafts'
import { createSqliteLimiter, type Limit } from '../adapters/sqlite/limiter'
import { SqliteMessageQueue } from '../adapters/sqlite/message-queue'
import { SqliteState } from '../adapters/sqlite/state'
import { createSqliteStorage } from '../adapters/sqlite/storage'
import { SqliteStore } from '../adapters/sqlite/store'
import { createAlertBook } from '../adapters/storage/alerts'
import { createHealthBook } from '../adapters/storage/health'
import { createRestBook } from '../adapters/storage/rests'
import { createInstallations } from '../adapters/storage/installations'
import { storeId } from '../adapters/storage/store-id'
import { createTestReceipts } from '../adapters/storage/test-receipts'
import { ConfigError, type Config } from '../config'
import { sqlitePath } from '../config/store-url'
import type { Core } from '../domain/context'
import { notedFiles } from '../domain/operations/monitor'
import { storeRules } from '../domain/lifecycle/record'
import { SubmissionFiles } from '../domain/files/submission-files'
import { LARGEST_BODY, type BodyLimits, BodyMemory } from '../http/body/body-memory'
import type { AlertBook, HealthBook, Monitor } from '../ports/monitor'
import type { RestBook, TestReceipts } from '../ports/delivery'
import type { ApprovalStore } from '../ports/approvals'
import type { CardQueueStore } from '../ports/card-queue'
import type { Drafts } from '../ports/drafts'
import type { Installations } from '../ports/installations'
import type { Limiter } from '../ports/limiter'
import type { MessageQueue } from '../ports/message-queue'
import type { Log, StoreClock } from '../ports/runtime'
import { StoreUnusable, type SubmissionStore, type UnreadableRecord } from '../ports/store'

/** All stores, in Redis or in a file. */
export interface Stores {
  store: SubmissionStore
  queues: CardQueueStore
  /** Edit forms that are open. */
  drafts: Drafts
  installations: Installations
  limiter: Limiter | null
  health: HealthBook
  testReceipts: TestReceipts
  alerts: AlertBook
  rests: RestBook
  /** Counts attempts to sign in. */
  signIns: Limiter
  /** Counts wrong passwords of all clients together. */
  guesses: Limiter
  /** Returns the id of this store; several stores may share one file storage. */
  id: () => Promise<string>
  /** Counts test emails and test cards. */
  tests: Limiter
  /** Counts the confirmations sent to each address. */
  confirmations: Limiter
  /** Counts the uses of each challenge of our human check. */
  solutions: Limiter
  /** Counts MB of files that come with forms; null for no limit. */
  uploads: Limiter | null
  /** Counts each person's questions to the model; null for no limit. */
  questions: Limiter | null
  approvals: ApprovalStore
  /** Messages that wait for an answer. */
  messages: MessageQueue
  state: () => Promise<StateAdapter>
  clock: StoreClock
  /** Returns recommended changes to a store that works, one line each. */
  advice: () => Promise<readonly string[]>
  close: () => Promise<void>
}

/** Limits for messages that wait for an answer: nobody remembers a question after an hour. */
const WAITING = { most: 1000, keptMs: 3_600_000 }

/** @throws ConfigError if the file of SQLite cannot be used */
export function openStore(config: Config, log: Log): Stores {
  const { rateLimit, rateLimitMb, heldMax } = config.form
  const options = {
    ...storeRules, heldMax,
    limit: rateLimit > 0 ? { limit: rateLimit, windowS: 60 } : undefined,
    limitMb: rateLimitMb > 0 ? { limit: rateLimitMb, windowS: 3600 } : undefined,
    unreadable: (error: UnreadableRecord) => {
      log.error('record.unreadable', { submission: error.submission, error })
    },
  }
  const file = sqlitePath(config.storeUrl)
  return file === null ? openRedis(config, options, log) : openSqlite(config, options, file)
}

type StoreOptions = ConstructorParameters<typeof SqliteStore>[1]

function openSqlite(config: Config, options: StoreOptions, file: string): Stores {
  const db = openFile(file)
  const store = new SqliteStore(db, options)
  return {
    store,
    queues: new SqliteCardQueue(db),
    drafts: createSqliteDrafts(db),
    ...smallStores(createSqliteStorage(db)),
    approvals: new SqliteApprovals(db),
    messages: new SqliteMessageQueue(db, WAITING),
    ...limitersOf(config, limit => createSqliteLimiter(db, limit)),
    state: async () => new SqliteState(db),
    clock: { now: Date.now, aheadMs: 0, known: async () => {} },
    advice: async () => [],
    close: () => store.close(),
  }
}

/** @throws ConfigError if the file cannot be used */
function openFile(path: string): Database {
  try {
    return new Database(path)
  }
  catch (error) {
    if (!(error instanceof StoreUnusable)) throw error
    throw new ConfigError([`STORE_URL cannot be used: ${error.message}`])
  }
}

function openRedis(config: Config, options: StoreOptions, log: Log): Stores {
  const client = createRedis(config.storeUrl, log)
  const store = new RedisStore(client, options)
  return {
    store,
    queues: new RedisCardQueue(client),
    drafts: createRedisDrafts(client),
    ...smallStores(createRedisStorage(client)),
    approvals: new RedisApprovals(client),
    messages: new RedisMessageQueue(client, WAITING),
    ...limitersOf(config, limit => createRedisLimiter(client, limit)),
    state: async () => (await import('../adapters/redis/state')).createChatState(client),
    clock: clockOf(client),
    advice: () => boundedCall(adviceOf(client), REDIS_TIMEOUT_MS),
    close: () => store.close(),
  }
}

/** Stores of single values, in either store. */
function smallStores(storage: SmallStorage) {
  return {
    id: () => storeId(storage), installations: createInstallations(storage), health: createHealthBook(storage),
    testReceipts: createTestReceipts(storage), alerts: createAlertBook(storage),
    rests: createRestBook(storage),
  }
}

/** Creates all limiters, in either store. */
function limitersOf(
  { form, files, agent }: Config, create: (limit: Limit) => Limiter,
) {
  const ifAny = (limit: number, windowS: number) => limit > 0 ? create({ limit, windowS }) : null
  return {
    limiter: ifAny(form.rateLimit, 60), uploads: ifAny(files.rateLimitMb, 3600),
    questions: ifAny(agent.rateLimit, 3600), signIns: create({ limit: 10, windowS: 60 }),
    guesses: create({ limit: 50, windowS: 60 }),
    tests: create({ limit: 5, windowS: 600 }), confirmations: create({ limit: 3, windowS: 86_400 }),
    // A challenge is valid for 20 minutes.
    solutions: create({ limit: 1, windowS: 1200 }),
  }
}

/** Creates the access to files that come with forms. */
export function createFiles(
  { files: { storage, secret }, forms, dataDir, siteUrl }: Config, { id, uploads }: Stores,
  core: Core, monitor: Monitor,
): SubmissionFiles {
  return new SubmissionFiles(core, {
    limiter: uploads, siteUrl, isTaking: Object.values(forms).some(({ files }) => files !== undefined),
    files: storage && notedFiles(createFormFiles({ storage, dir: `${dataDir}/uploads`, owner: id }), monitor),
    // Outside production, links may become invalid when the process ends.
    secret: secret ?? randomBytes(32).toString('hex'),
  })
}

/** Memory limits for request bodies. Files have an equal limit of their own: uploads block no other requests. */
export function bodyLimitsOf({ bodies: { memory, timeoutMs }, maxBodyBytes, form }: Config): BodyLimits {
  const open = () => new BodyMemory(memory, Math.max(LARGEST_BODY, maxBodyBytes))
  return { memory: open(), uploads: open(), timeoutMs, trustedProxies: form.trustedProxies }
}
