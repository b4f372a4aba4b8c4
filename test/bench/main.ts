// `npm run bench`: measures the built service against what it is compared with, in turn, on this machine.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startRedis } from '../support/redis-server.ts'
import { capacity } from './capacity.ts'
import { curves } from './curves.ts'
import { compareListing } from './listing.ts'
import { writeBlocks, type Block } from './pages.ts'
import { goalRows, plain, show, spread, table, type Row, type Rounds } from './report.ts'
import { redisCosts } from './redis-costs.ts'
import { coldStartWithDiscord, measureTarget, memoryOverTime, type Plan } from './round.ts'
import { folderSize, packagesSize } from './sizes.ts'
import { ENTRIES, type Surroundings, type TargetName } from './target.ts'
import { startVendors, type Vendors } from './vendor-process.ts'

const FULL: Plan = { rounds: 5, submissions: 10_000, clicks: 100, forwards: 200, open: 100_000 }
const QUICK: Plan = { rounds: 1, submissions: 1000, clicks: 40, forwards: 40, open: 2000 }
const PEER_PACKAGES = [
  'hono', '@hono/node-server', 'chat', '@chat-adapter/slack', '@chat-adapter/state-redis', 'resend',
]
const ORDER: readonly TargetName[] = ['peer', 'service', 'bolt', 'floor']

const { values: { quick, ...only } } = parseArgs({
  options: { quick: { type: 'boolean' }, curves: { type: 'boolean' }, capacity: { type: 'boolean' } },
})
if (!existsSync(ENTRIES.service)) throw new Error('Nothing to measure: run `npm run build` first.')
const plan = quick ? QUICK : FULL
const [redis, vendors] = await Promise.all([startRedis(), startVendors()])
const surroundings: Surroundings = { redisUrl: redis.url, vendorsUrl: vendors.url }
try {
  const { blocks, figures } = only.curves
    ? await curves(surroundings, vendors)
    : only.capacity ? await measureCapacity(vendors) : await compare(vendors)
  mkdirSync('.tmp', { recursive: true })
  const file = `.tmp/bench${only.curves ? '-curves' : only.capacity ? '-capacity' : ''}.json`
  writeFileSync(file, `${JSON.stringify({ blocks, figures }, null, 2)}\n`)
  console.log(`${Object.values(blocks).join('\n\n')}\n\n${JSON.stringify(figures)}\n\n(${file})`)
  // A quick run shows that everything runs; its figures say nothing.
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

async function measureCapacity(vendors: Vendors): Promise<Measured> {
  const { table, figures } = await capacity(redis, vendors)
  return { blocks: { capacity: table }, figures }
}

async function compare(vendors: Vendors): Promise<Measured> {
  const rounds: Rounds = { service: [], peer: [], bolt: [], floor: [] }
  const withDiscord: number[] = []
  for (let round = 1; round <= plan.rounds; round++) {
    for (const name of ORDER) rounds[name].push(await measureTarget(name, surroundings, vendors, plan))
    withDiscord.push(await coldStartWithDiscord(surroundings, vendors))
    console.error(`round ${round} of ${plan.rounds}`)
  }
  const rows = [
    ...goalRows(rounds), discordRow(withDiscord, rounds), await memoryRow(vendors), ...await redisRows(vendors),
    sizeRow(), await listingRow(),
  ]
  return { blocks: { figures: table(rows) }, figures: { plan, node: process.version, rounds, withDiscord, rows } }
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
    ...most ? { goal: `≤ ${most}`, reached: costs.service[key] < most + 0.5 } : {},
  })
  return [
    row('Redis round trips per submission', 'roundTrips', 2), row('Redis commands sent per submission', 'commands', 6),
    row('Redis commands run, inside scripts too', 'executed'),
    row('Redis bytes per submission', 'bytes'), row('Redis memory per submission, bytes', 'memory'),
    row('Redis CPU per submission, µs', 'cpuUs'),
  ]
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
