/** Who waits long asks less often: each question costs the processor that the answer needs. */
const [SHORTEST_MS, LONGEST_MS] = [15, 50]

type Falsy = false | null | undefined | 0 | ''

/**
 * The first truthy value of `probe`, asked again and again; an error that says what was waited for after `ms`, by
 * default those for what hangs: what has to come in time says so where it is waited for.
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
