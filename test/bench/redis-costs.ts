import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createClient } from 'redis'
import { forwardCards, postCards, pressAll } from './clicks.ts'
import { closedLoop } from './load.ts'
import { environment, FORM_REQUEST, settledMs, startTarget, type TargetName } from './target.ts'
import type { Vendors } from './vendor-process.ts'

export interface RedisCosts {
  /** Number of times that the target sent commands and waited for the answer */
  roundTrips: number
  /** Commands sent; a script counts as one. */
  commands: number
  /** Commands that Redis ran, including those inside scripts */
  executed: number
  /** Bytes to and from Redis */
  bytes: number
  /** Memory of a stored submission in Redis, bytes */
  memory: number
  /** CPU time of Redis, µs */
  cpuUs: number
}

const WARM_UP = 50
const COUNTED = 500
const APART_MS = 20

const FORWARDS = 40
/** Interval between forwards, ms; longer than a forward takes, so that two forwards never share a round trip. */
const FORWARD_EVERY_MS = 40

/**
 * Returns the Redis costs of one submission, counted between a target and its Redis while forms are sent one by one.
 *
 * @param apart true to send fewer forms, and to wait after each until all its work is done
 */
export async function redisCosts(
  name: TargetName, redis: { url: string, port: number }, vendors: Vendors, more: Record<string, string> = {},
  apart = false,
): Promise<RedisCosts> {
  const client = createClient({ url: redis.url })
  await client.connect()
  const counter = await countBetween(redis.port)
  try {
    const env = environment({ redisUrl: counter.url, vendorsUrl: vendors.url })
    const target = await startTarget(name, { ...env, SWEEP_INTERVAL_MS: '600000', ...more })
    const counted = apart ? COUNTED / 10 : COUNTED
    const send = async (requests: number) => {
      if (!apart) return closedLoop(target.port, 1, () => FORM_REQUEST, { requests })
      for (let sent = 0; sent < requests; sent++, await setTimeout(APART_MS)) {
        await closedLoop(target.port, 1, () => FORM_REQUEST, { requests: 1 })
      }
    }
    await send(WARM_UP)
    const before = { ...counter.seen, ...await statistics(client) }
    await send(counted)
    const after = { ...counter.seen, ...await statistics(client) }
    await target.stop()
    const each = (key: keyof typeof before) => (after[key] - before[key]) / counted
    return {
      roundTrips: each('roundTrips'), commands: each('commands'), executed: each('executed') - 2 / counted,
      bytes: each('bytes'), memory: each('memory'), cpuUs: each('cpuS') * 1e6,
    }
  }
  finally {
    counter.close()
    await client.flushAll()
    await client.close()
  }
}

/**
 * Returns the Redis round trips of a forward, counted between a target and its Redis while cards are forwarded one by
 * one.
 */
export async function forwardTrips(
  name: TargetName, redis: { url: string, port: number }, vendors: Vendors,
): Promise<number> {
  const counter = await countBetween(redis.port)
  try {
    const env = environment({ redisUrl: counter.url, vendorsUrl: vendors.url })
    const target = await startTarget(name, { ...env, SWEEP_INTERVAL_MS: '600000' })
    await setTimeout(settledMs(name))
    await forwardCards(target, vendors, FORWARDS, FORWARD_EVERY_MS)
    const clicks = await postCards(target, vendors, FORWARDS)
    const before = counter.seen.roundTrips
    await pressAll(target, vendors, clicks, FORWARD_EVERY_MS)
    const trips = counter.seen.roundTrips - before
    await target.stop()
    return trips / FORWARDS
  }
  finally {
    counter.close()
  }
}

async function statistics(client: { info: (section: string) => Promise<string> }) {
  const commands = [...(await client.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
  const executed = commands.filter(([, name]) => !/^(evalsha|eval)$/.test(name!)).reduce(
    (sum, [, , calls]) => sum + Number(calls), 0,
  )
  return {
    executed, memory: Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1]),
    cpuS: cpuOf(await client.info('cpu')),
  }
}

/** Returns the CPU time of a Redis by its own report, s. */
export const cpuOf = (report: string): number => [...report.matchAll(/used_cpu_(?:user|sys):([\d.]+)/g)].reduce(
  (sum, [, seconds]) => sum + Number(seconds), 0,
)

/** A counting proxy. Everything sent before an answer arrives counts as one round trip. */
async function countBetween(redisPort: number) {
  const seen = { roundTrips: 0, commands: 0, bytes: 0 }
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: redisPort, host: '127.0.0.1', noDelay: true })
    let answered = true
    near.on('data', (data) => {
      if (answered) seen.roundTrips++
      answered = false
      seen.commands += data.toString('latin1').match(/\*\d+\r\n\$\d+\r\n[A-Za-z]+\r\n/g)?.length ?? 0
      seen.bytes += data.length
      far.write(data)
    })
    far.on('data', (data) => {
      answered = true
      seen.bytes += data.length
      near.write(data)
    })
    for (const [one, other] of [[near, far], [far, near]] as const) one.on('close', () => (
      other.destroy()
    )).on('error', () => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { seen, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
