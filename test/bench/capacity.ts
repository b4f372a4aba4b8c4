import { setTimeout } from 'node:timers/promises'
import { createClient } from 'redis'
import { closedLoop } from './load.ts'
import { cpuOf, redisCosts, type RedisCosts } from './redis-costs.ts'
import { markdown, plain } from './report.ts'
import { environment, FORM_REQUEST, startTarget, type Target } from './target.ts'
import type { Vendors } from './vendor-process.ts'

type Redis = Parameters<typeof redisCosts>[1]

/** Costs of one submission, and the max submissions a second of one core or one Redis */
interface Capacity extends RedisCosts {
  step: string
  /** CPU time of the service, ms */
  serviceMs: number
}

const REQUESTS = 4000
const SENDERS = 16
const IDLE_MS = 20_000

/** The two costs of receiving a form, with and without its card; the pause between cards selects one. */
const STEPS = [
  { step: 'Taken in, its card waits in the queue', env: { CARD_INTERVAL_MS: '3600000' } },
  { step: 'Taken in, card posted at once', env: { CARD_INTERVAL_MS: '0' } },
]

/** Returns a table of a submission's costs with and without its card, and the costs of an idle replica. */
export async function capacity(redis: Redis, vendors: Vendors): Promise<{ table: string, figures: unknown }> {
  await vendors.tell({ delayMs: 0, record: false })
  const rows: Capacity[] = []
  for (const { step, env } of STEPS) {
    const counted = await redisCosts('service', redis, vendors, env)
    rows.push({ step, ...counted, ...await cpuTimes(redis, vendors, env) })
  }
  const idle = await idleCommands(redis, vendors)
  return {
    table: `${draw(rows)}\n\nA replica that idles sends Redis ${plain(idle)} commands a second.`,
    figures: { rows, idle },
  }
}

/** Runs a measurement on a fresh service and its Redis, which is emptied afterwards. */
async function measured<T>(
  redis: Redis, vendors: Vendors, env: Record<string, string>,
  measure: (target: Target, info: (section: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const client = createClient({ url: redis.url })
  await client.connect()
  const target = await startTarget(
    'service', { ...environment({ redisUrl: redis.url, vendorsUrl: vendors.url }), ...env },
  )
  try {
    return await measure(target, section => client.info(section))
  }
  finally {
    await target.stop()
    await client.flushAll()
    await client.close()
  }
}

/** Measures with several concurrent senders, like the load for which capacity is planned. */
function cpuTimes(
  redis: Redis, vendors: Vendors, env: Record<string, string>,
): Promise<{ serviceMs: number, cpuUs: number }> {
  return measured(redis, vendors, env, async (target, info) => {
    const cpu = async () => ({ service: target.cpu(), redis: cpuOf(await info('cpu')) })
    await closedLoop(target.port, SENDERS, () => FORM_REQUEST, { requests: REQUESTS })
    const before = await cpu()
    await closedLoop(target.port, SENDERS, () => FORM_REQUEST, { requests: REQUESTS })
    const after = await cpu()
    return {
      serviceMs: (after.service - before.service) / REQUESTS * 1000,
      cpuUs: (after.redis - before.redis) / REQUESTS * 1e6,
    }
  })
}

/** Returns the commands a second that an idle service sends to Redis. */
function idleCommands(redis: Redis, vendors: Vendors): Promise<number> {
  return measured(redis, vendors, {}, async (_, info) => {
    const sent = async () => Number(/total_commands_processed:(\d+)/.exec(await info('stats'))![1])
    await setTimeout(IDLE_MS / 4)
    const before = await sent()
    await setTimeout(IDLE_MS)
    return (await sent() - before - 1) / IDLE_MS * 1000
  })
}

function draw(rows: readonly Capacity[]): string {
  const aSecond = (seconds: number) => Math.round(Number((1 / seconds).toPrecision(2))).toLocaleString('en')
  const lines = rows.map(({ step, serviceMs, cpuUs, commands, roundTrips, bytes }) => [
    step, `${plain(serviceMs)} ms`, `${plain(cpuUs / 1000)} ms`, plain(commands), plain(roundTrips), plain(bytes),
    aSecond(serviceMs / 1000), aSecond(cpuUs / 1e6),
  ])
  const head = [
    'One submission', 'CPU of the service', 'CPU of Redis', 'commands sent', 'round trips', 'bytes to and from Redis',
    'a second on one core', 'a second on one Redis',
  ]
  return markdown(head, lines)
}
