// Created once: creating a formatter takes longer than everything else that a list row does.
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const
const TODAY = new Intl.DateTimeFormat(undefined, CLOCK)
const OLDER = new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK })
const SECONDS = new Intl.DateTimeFormat(undefined, { ...CLOCK, second: '2-digit' })
const FULL = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric', ...CLOCK })
const ZONED = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric', ...CLOCK, timeZoneName: 'short' })

/** Formats a time: only the time of day for today, else with the date; in the reader's time zone. */
export function clockTime(epochMs: number): string {
  const isToday = new Date().toDateString() === new Date(epochMs).toDateString()
  return (isToday ? TODAY : OLDER).format(epochMs)
}

/** Parts without cards: the name to show, and the thing that they accept */
const NO_CARDS: Record<string, [name: string, next: string]> = {
  Email: ['The email provider', 'email'], Endpoint: ['The endpoint', 'form'],
}

/** Returns the sentence to show while a vendor asks for a pause. @param label of the part */
export function paceLine(label: string, nextAt: number): string {
  const [name, next] = NO_CARDS[label] ?? [label, 'card']
  return `${name} limits the rate; the next ${next} goes at ${SECONDS.format(nextAt)}.`
}

/** Formats a date and time with the reader's time zone. */
export function fullTime(time: number | string): string {
  return ZONED.format(new Date(time))
}

const FORMATS = { date: FULL, clock: TODAY, seconds: SECONDS } as const

export function momentText({ at, shows }: Timestamp): string {
  return FORMATS[shows].format(at)
}

/** Renders a rich text as one string, with times in the reader's time zone. */
export function here(line: RichText): string {
  return renderRich(line, text => text, momentText)
}
