import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * First port: below the range for outgoing connections, which could take a free port before its server does, and
 * above 10,080, which `fetch` refuses.
 */
const FIRST = 10_100

/** Ports per worker. Each worker has its own range, so no other worker takes a port that it has chosen or released. */
const COUNT = 2000
const mine = FIRST + Number(process.env.VITEST_POOL_ID ?? 0) % 10 * COUNT

/** Random start, so that another test run at the same time rarely tries the same port. */
let next = Math.floor(Math.random() * COUNT)

/** Returns a loopback port that was free a moment ago. A port is reused only after 2,000 others. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = mine + next++ % COUNT
    if (await isFree(port)) return port
  }
  throw new Error('No free port')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  }
  catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
