type Falsy = false | null | undefined | 0 | ''

/** The first truthy value of `probe`, asked again and again; an error that says what was waited for after `ms`. */
export async function until<T>(what: string, probe: () => T | Promise<T>, ms = 15_000): Promise<Exclude<T, Falsy>> {
  const deadline = Date.now() + ms
  for (;;) {
    const value = await probe()
    if (value) return value as Exclude<T, Falsy>
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
