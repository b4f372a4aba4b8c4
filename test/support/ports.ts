import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below what systems hand to outgoing connections, one of which would take a free port before its server does; above
 * 10,080, which `fetch` refuses.
 */
const FIRST = 10_100

/**
 * Workers that run at once share none: a port that one of them has chosen, or has left for a while, is nobody else's.
 */
const COUNT = 2000
const mine = FIRST + Number(process.env.VITEST_POOL_ID ?? 0) % 10 * COUNT

/** Another run beside this one hardly ever asks for the same port at once. */
let next = Math.floor(Math.random() * COUNT)

/** A port of loopback that was free a moment ago; never the same twice in one process. */
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
