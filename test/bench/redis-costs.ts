import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createClient } from 'redis'
import { closedLoop } from './load.ts'
import { environment, FORM_REQUEST, startTarget, type TargetName } from './target.ts'
import type { Vendors } from './vendor-process.ts'

export interface RedisCosts {
  /** Times that the target sent something and waited for the answer. */
  roundTrips: number
  /** Commands as sent; a script is one. */
  commands: number
  /** Commands that Redis ran, those inside scripts too. */
  executed: number
  /** Bytes to and from Redis. */
  bytes: number
  /** Memory that a stored submission takes in Redis, bytes. */
  memory: number
  /** CPU time of Redis, µs. */
  cpuUs: number
}

const WARM_UP = 50
const COUNTED = 500

/**
 * What one submission costs at Redis, counted between a target and its Redis while one form is sent after the other.
 */
export async function redisCosts(
  name: TargetName, redis: { url: string, port: number }, vendors: Vendors, more: Record<string, string> = {},
): Promise<RedisCosts> {
  const client = createClient({ url: redis.url })
  await client.connect()
  const counter = await countBetween(redis.port)
  try {
    const env = environment({ redisUrl: counter.url, vendorsUrl: vendors.url })
    const target = await startTarget(name, { ...env, SWEEP_INTERVAL_MS: '600000', ...more })
    await closedLoop(target.port, 1, () => FORM_REQUEST, { requests: WARM_UP })
    const before = { ...counter.seen, ...await statistics(client) }
    await closedLoop(target.port, 1, () => FORM_REQUEST, { requests: COUNTED })
    const after = { ...counter.seen, ...await statistics(client) }
    await target.stop()
    const each = (key: keyof typeof before) => (after[key] - before[key]) / COUNTED
    return {
      roundTrips: each('roundTrips'), commands: each('commands'), executed: each('executed') - 2 / COUNTED,
      bytes: each('bytes'), memory: each('memory'), cpuUs: each('cpuS') * 1e6,
    }
  }
  finally {
    counter.close()
    await client.flushAll()
    await client.close()
  }
}

async function statistics(client: { info: (section: string) => Promise<string> }) {
  const commands = [...(await client.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
  const executed = commands.filter(([, name]) => !/^(evalsha|eval)$/.test(name!)).reduce(
    (sum, [, , calls]) => sum + Number(calls), 0,
  )
  const cpu = await client.info('cpu')
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(cpu)![1])
  return {
    executed, memory: Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1]),
    cpuS: seconds('used_cpu_user') + seconds('used_cpu_sys'),
  }
}

/** A proxy that counts. What goes out in one piece before an answer comes is one round trip. */
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
