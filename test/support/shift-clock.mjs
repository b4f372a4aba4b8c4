// Preloaded into the built server: simulates a machine whose clock is off by CLOCK_SHIFT_MS.
const shift = Number(process.env.CLOCK_SHIFT_MS)
const { now } = Date

globalThis.Date = class extends Date {
  /** @param {[]} args */
  constructor(...args) {
    super(...args.length === 0 ? [now() + shift] : args)
  }

  static now() {
    return now() + shift
  }
}
