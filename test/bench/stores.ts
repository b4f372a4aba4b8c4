import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient } from 'redis'
import type { RedisServer } from '../support/redis-server.ts'
import { closedLoop } from './load.ts'
import { markdown, plain, spread, type Spread } from './report.ts'
import { environment, FORM_REQUEST, settledMs, startTarget } from './target.ts'
import type { Vendors } from './vendor-process.ts'

/** Forms a second, and memory of the service, MiB */
interface Figures {
  'Forms a second, 32 senders': number
  'Forms a second, 1 sender': number
  'Memory, idle, MiB': number
  'Memory after the forms, MiB': number
}

const LOAD_MS = 5000

/** Compares one process on a SQLite file with the same on Redis, in turns, and returns a table. */
export async function stores(
  redis: RedisServer, vendors: Vendors, rounds: number,
): Promise<{ table: string, figures: unknown }> {
  await vendors.tell({ delayMs: 0, record: false })
  // Next to the project, because a temporary folder may be in memory.
  const dir = mkdtempSync(join(process.cwd(), '.tmp/stores-'))
  const all: Record<'sqlite' | 'redis', Figures[]> = { sqlite: [], redis: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      all.redis.push(await measure(redis, vendors, redis.url))
      all.sqlite.push(await measure(redis, vendors, `sqlite:${dir}/${round}.db`))
    }
  }
  finally {
    rmSync(dir, { recursive: true })
  }
  const names = Object.keys(all.redis[0]!) as (keyof Figures)[]
  const show = ({ median, min, max }: Spread) => `${plain(median)} (${plain(min)} to ${plain(max)})`
  const rows = names.map((name) => {
    const [sqlite, onRedis] = [all.sqlite, all.redis].map(figures => figures.map(figure => figure[name]))
    const ratio = spread(sqlite!.map((value, index) => value / onRedis![index]!))
    return [name, show(spread(sqlite!)), show(spread(onRedis!)), show(ratio)]
  })
  return { table: markdown(['', 'SQLite', 'Redis', 'ratio'], rows), figures: all }
}

async function measure(redis: RedisServer, vendors: Vendors, storeUrl: string): Promise<Figures> {
  const target = await startTarget('service', {
    ...environment({ redisUrl: redis.url, vendorsUrl: vendors.url }), STORE_URL: storeUrl,
    // Cards would wait for Slack, whose pace is the same for both.
    CARD_INTERVAL_MS: '3600000',
  })
  try {
    await setTimeout(settledMs('service'))
    const idle = target.rss()
    const rate = async (senders: number) => {
      await closedLoop(target.port, senders, () => FORM_REQUEST, { ms: LOAD_MS / 5 })
      return (await closedLoop(target.port, senders, () => FORM_REQUEST, { ms: LOAD_MS })).perSecond
    }
    const [many, one] = [await rate(32), await rate(1)]
    return {
      'Forms a second, 32 senders': many, 'Forms a second, 1 sender': one,
      'Memory, idle, MiB': idle, 'Memory after the forms, MiB': target.rss(),
    }
  }
  finally {
    await target.kill()
    const client = await createClient({ url: redis.url }).connect()
    await client.flushAll()
    client.destroy()
  }
}
