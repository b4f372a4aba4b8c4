// `npm run bench`: measures the built service and its peers, one after another, on this machine.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from 'redis'
import release from '../../package.json' with { type: 'json' }
import { startRedis } from '../support/redis-server.ts'
import { capacity } from './capacity.ts'
import { curves } from './curves.ts'
import { compareListing } from './listing.ts'
import { opening } from './opening.ts'
import { blockNow, writeBlocks, type Block } from './pages.ts'
import { withRelease } from './history.ts'
import { lighthouse } from './lighthouse.ts'
import { goalRows, plain, show, spread, table, type Row, type Rounds } from './report.ts'
import { forwardTrips, redisCosts } from './redis-costs.ts'
import { coldStartWithDiscord, measureBurst, measureTarget, memoryOverTime, type Burst, type Plan } from './round.ts'
import { stores } from './stores.ts'
import { folderSize, packagesSize } from './sizes.ts'
import { ENTRIES, type Surroundings, type TargetName } from './target.ts'
import { startVendors, type Vendors } from './vendor-process.ts'

const FULL: Plan = { rounds: 5, submissions: 10_000, clicks: 100, forwards: 200, burst: 1000, open: 100_000 }
const QUICK: Plan = { rounds: 1, submissions: 100, clicks: 10, forwards: 10, burst: 100, open: 200 }
const PEER_PACKAGES = [
  'hono', '@hono/node-server', 'chat', '@chat-adapter/slack', '@chat-adapter/state-redis', 'resend',
]
const ORDER: readonly TargetName[] = ['peer', 'service', 'bolt', 'floor']
/** Targets measured with a burst of forms */
const BURSTS: readonly TargetName[] = ['peer', 'service']

/** Tolerance for background commands of the service, which are counted too: some hundredths of a command per form */
const OWN = 0.1

const { values: { quick, history, ...only } } = parseArgs({
  options: {
    quick: { type: 'boolean' }, curves: { type: 'boolean' }, capacity: { type: 'boolean' },
    opening: { type: 'boolean' }, stores: { type: 'boolean' }, lighthouse: { type: 'boolean' },
    history: { type: 'boolean' },
  },
})
if (!existsSync(ENTRIES.service)) throw new Error('Nothing to measure: run `npm run build` first.')
const plan = quick ? QUICK : FULL
const [redis, vendors] = await Promise.all([startRedis(), startVendors()])
const surroundings: Surroundings = { redisUrl: redis.url, vendorsUrl: vendors.url }
/** Measurements that each have a separate block in the pages */
const SINGLE = {
  capacity: () => capacity(redis, vendors), stores: () => stores(redis, vendors, plan.rounds),
  opening: () => opening(redis.url, plan.rounds),
  lighthouse: () => lighthouse(redis.url, quick ? 1 : 3),
}
try {
  const [chosen] = Object.keys(only) as (keyof typeof only)[]
  const { blocks, figures } = await (
    chosen === 'curves' ? curves(surroundings, vendors) : chosen ? measureOne(chosen) : compare(vendors)
  )
  mkdirSync('.tmp', { recursive: true })
  const file = `.tmp/bench${Object.keys(only).map(name => `-${name}`).join('')}.json`
  writeFileSync(file, `${JSON.stringify({ blocks, figures }, null, 2)}\n`)
  console.log(`${Object.values(blocks).join('\n\n')}\n\n${JSON.stringify(figures)}\n\n(${file})`)
  // Don't publish figures of a quick run: it only shows that everything works.
  if (!quick) writeBlocks(blocks)
}
finally {
  vendors.close()
  await redis.stop()
}

interface Measured {
  blocks: Partial<Record<Block, string>>
  figures: unknown
}

async function measureOne(name: keyof typeof SINGLE): Promise<Measured> {
  const { table, figures } = await SINGLE[name]()
  return { blocks: { [name]: table }, figures }
}

async function compare(vendors: Vendors): Promise<Measured> {
  const rounds: Rounds = { service: [], peer: [], bolt: [], floor: [] }
  const withDiscord: number[] = []
  for (let round = 1; round <= plan.rounds; round++) {
    for (const name of ORDER) {
      const figures = await measureTarget(name, surroundings, vendors, plan)
      rounds[name].push(BURSTS.includes(name) ? { ...figures, ...await burst(name, vendors) } : figures)
    }
    withDiscord.push(await coldStartWithDiscord(surroundings, vendors))
    console.error(`round ${round} of ${plan.rounds}`)
  }
  const ratios = [...goalRows(rounds), discordRow(withDiscord, rounds)]
  const rows = [
    ...ratios, await memoryRow(vendors), ...await redisRows(vendors),
    sizeRow(), await listingRow(),
  ]
  const blocks = {
    figures: table(rows), ...history && { history: withRelease(blockNow('history'), release.version, ratios) },
  }
  return { blocks, figures: { plan, node: process.version, rounds, withDiscord, rows } }
}

/** Clears Redis afterwards, so that waiting cards do not distort the next measurement. */
async function burst(name: TargetName, vendors: Vendors): Promise<Burst> {
  const figures = await measureBurst(name, surroundings, vendors, plan)
  const client = createClient({ url: redis.url })
  await client.connect()
  await client.flushAll()
  await client.close()
  return figures
}

function discordRow(withDiscord: readonly number[], { peer }: Rounds): Row {
  const ratio = spread(withDiscord.map((ms, round) => ms / peer[round]!['cold start ms']))
  return {
    figure: 'cold start ms, Discord too', cells: { service: show(spread(withDiscord)) }, ratio, goal: '≤ 0.9 × peer',
    reached: ratio.median <= 0.9,
  }
}

async function memoryRow(vendors: Vendors): Promise<Row> {
  const memory = await memoryOverTime(surroundings, vendors, quick ? 2 : 4, plan.submissions)
  const ratio = memory.at(-1)! / memory.at(-2)!
  return {
    figure: `RSS MiB, each after ${plan.submissions} more`, cells: { service: memory.map(plain).join(', ') },
    ratio: spread([ratio]), goal: 'flat (≤ 1.05)', reached: ratio <= 1.05,
  }
}

async function redisRows(vendors: Vendors): Promise<Row[]> {
  await vendors.tell({ delayMs: 0, record: false })
  const names = ['service', 'peer', 'floor'] as const
  const costs = {
    service: await redisCosts('service', redis, vendors), peer: await redisCosts('peer', redis, vendors),
    floor: await redisCosts('floor', redis, vendors),
  }
  const row = (figure: string, key: keyof typeof costs.service, most?: number): Row => ({
    figure, cells: Object.fromEntries(names.map(name => [name, plain(costs[name][key])])),
    ...most ? { goal: `≤ ${most}`, reached: costs.service[key] < most + OWN } : {},
  })
  return [
    row('Redis round trips per submission', 'roundTrips', 2),
    // Paced like Slack, but with a shorter pause between cards.
    tripsRow('Redis round trips per submission, paced cards', {
      service: (await redisCosts('service', redis, vendors, { CARD_INTERVAL_MS: '1' }, true)).roundTrips,
    }),
    tripsRow('Redis round trips per forward', {
      service: await forwardTrips('service', redis, vendors), peer: await forwardTrips('peer', redis, vendors),
      floor: await forwardTrips('floor', redis, vendors),
    }),
    row('Redis commands sent per submission', 'commands', 6),
    row('Redis commands run, inside scripts too', 'executed'),
    row('Redis bytes per submission', 'bytes'), row('Redis memory per submission, bytes', 'memory'),
    row('Redis CPU per submission, µs', 'cpuUs'),
  ]
}

function tripsRow(figure: string, trips: Partial<Record<TargetName, number>> & { service: number }): Row {
  const cells = Object.fromEntries(Object.entries(trips).map(([name, count]) => [name, plain(count)]))
  return { figure, cells, goal: '≤ 2', reached: trips.service < 2 + OWN }
}

function sizeRow(): Row {
  const size = folderSize(resolve(ENTRIES.service, '../..'))
  return { figure: 'production output, MB on disk', cells: {
    service: plain(size), peer: plain(packagesSize(PEER_PACKAGES)),
    bolt: plain(packagesSize(['@slack/bolt', 'redis', 'resend'])), floor: plain(packagesSize(['redis'])),
  }, goal: '≤ 12', reached: size <= 12 }
}

async function listingRow(): Promise<Row> {
  const { few, many } = await compareListing(redis.url, plan.open, plan.rounds)
  return {
    figure: `a page of ${plan.open} open, ms (of 50: ${plain(few)})`, cells: { service: plain(many) },
    ratio: spread([many / few]), goal: '≤ 1.5', reached: many / few <= 1.5,
  }
}
