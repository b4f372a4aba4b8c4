import type { Server } from './server'
import { until } from './until'

/**
 * Runs `act` and returns its result and its duration in ms minus `delay`. The delay is the longest time that a
 * health check took meanwhile: the server does no work for one, so its duration shows how busy the machine was.
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

/** Interval at which `took` reads the clock, ms */
const TICK_MS = 20

/**
 * Returns the duration of `act` in ms, without the time for which the machine suspended this process: time limits
 * apply only while a process runs.
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
