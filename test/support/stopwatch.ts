import type { Server } from './server'
import { until } from './until'

/**
 * What `act` resolves with, and how long it took, ms, but for what the machine was too busy to do: the longest that the
 * server took meanwhile for an answer that costs nothing, which is its `delay`.
 */
export async function timed<T>(
  { url }: Pick<Server, 'url'>, act: () => Promise<T>,
): Promise<{ result: T, ms: number, delay: number }> {
  let [isOver, delay] = [false, 0]
  const asking = until('the end of what is timed', async () => {
    const asked = performance.now()
    await (await fetch(`${url}/api/health`)).arrayBuffer()
    delay = Math.max(delay, performance.now() - asked)
    return isOver
  })
  try {
    const began = performance.now()
    const result = await act()
    const taken = performance.now() - began
    isOver = true
    await asking
    return { result, ms: taken - delay, delay }
  }
  finally {
    isOver = true
  }
}

/** How often `took` looks at the clock, ms. */
const TICK_MS = 20

/**
 * How long something took in this process, ms, without the time for which the machine left it standing: what is
 * promised in time is promised by a process that runs.
 */
export async function took(act: () => Promise<unknown>): Promise<number> {
  let [ms, last] = [0, performance.now()]
  const look = () => {
    const now = performance.now()
    ms += Math.min(now - last, 2 * TICK_MS)
    last = now
  }
  const timer = setInterval(look, TICK_MS)
  await act().finally(() => clearInterval(timer))
  look()
  return ms
}
