// Made once: making one takes longer than all else that a row of the list does.
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const
const TODAY = new Intl.DateTimeFormat(undefined, CLOCK)
const OLDER = new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK })
const SECONDS = new Intl.DateTimeFormat(undefined, { ...CLOCK, second: '2-digit' })
const FULL = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric', ...CLOCK })
const ZONED = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric', ...CLOCK, timeZoneName: 'short' })

/** A time of day for today, with the day for anything older; readers see their own time zone. */
export function clockTime(epochMs: number): string {
  const isToday = new Date().toDateString() === new Date(epochMs).toDateString()
  return (isToday ? TODAY : OLDER).format(epochMs)
}

/** Parts that take no cards, and the things they take. */
const NO_CARDS: Record<string, [name: string, next: string]> = {
  Email: ['The email provider', 'email'], Endpoint: ['The endpoint', 'form'],
}

/** Sentence while a vendor asks for a pause. @param label of the part */
export function paceLine(label: string, nextAt: number): string {
  const [name, next] = NO_CARDS[label] ?? [label, 'card']
  return `${name} limits the rate; the next ${next} goes at ${SECONDS.format(nextAt)}.`
}

/** With the time zone, which is that of the reader. */
export function fullTime(time: number | string): string {
  return ZONED.format(new Date(time))
}

const FORMATS = { date: FULL, clock: TODAY, seconds: SECONDS } as const

export function momentText({ at, shows }: Timestamp): string {
  return FORMATS[shows].format(at)
}

/** A line in the reader's time zone, where it has to be one text. */
export function here(line: RichText): string {
  return renderRich(line, text => text, momentText)
}
