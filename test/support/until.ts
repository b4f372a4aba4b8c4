/** Polling intervals, ms. They grow with the wait: each poll takes processor time that the result needs. */
const [SHORTEST_MS, LONGEST_MS] = [15, 50]

type Falsy = false | null | undefined | 0 | ''

/**
 * Polls `probe` until it returns a truthy value, and returns that. Throws after `ms` with the name of the missing
 * thing. The default only catches hangs: tests that check speed set their own limit.
 */
export async function until<T>(what: string, probe: () => T | Promise<T>, ms = 60_000): Promise<Exclude<T, Falsy>> {
  const deadline = Date.now() + ms
  for (let pauseMs = SHORTEST_MS; ; pauseMs = Math.min(pauseMs * 1.25, LONGEST_MS)) {
    const value = await probe()
    if (value) return value as Exclude<T, Falsy>
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}
