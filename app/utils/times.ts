import { DELIVERY_TEXTS } from '../../shared/deliveries'

// Create formatters once: that takes longer than the rest of a list row.
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const
const TIME_FORMAT = new Intl.DateTimeFormat(undefined, CLOCK)
const DATE_TIME_FORMAT = new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK })
const SECONDS_FORMAT = new Intl.DateTimeFormat(undefined, { ...CLOCK, second: '2-digit' })
const FULL_FORMAT = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric', ...CLOCK })
const ZONED_FORMAT = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric', ...CLOCK, timeZoneName: 'short' })

/** Formats a time: only the time of day for today, else with the date; in the reader's time zone. */
export function clockTime(epochMs: number): string {
  const isToday = new Date().toDateString() === new Date(epochMs).toDateString()
  return (isToday ? TIME_FORMAT : DATE_TIME_FORMAT).format(epochMs)
}

/** Returns the sentence to show while a vendor asks for a pause. @param label name of the part */
export function paceLine(label: string, nextAt: number): string {
  const texts = Object.values(DELIVERY_TEXTS).find(delivery => delivery.label === label)
  const { receiver: name, item } = texts ?? { receiver: label, item: 'card' }
  return `${name} limits the rate; the next ${item} goes at ${SECONDS_FORMAT.format(nextAt)}.`
}

/** Formats a date and time with the reader's time zone. */
export function fullTime(time: number | string): string {
  return ZONED_FORMAT.format(new Date(time))
}

const FORMATS = { date: FULL_FORMAT, clock: TIME_FORMAT, seconds: SECONDS_FORMAT } as const

export function momentText({ at, shows }: Timestamp): string {
  return FORMATS[shows].format(at)
}

/** Renders a rich text as one string, with times in the reader's time zone. */
export function here(line: RichText): string {
  return renderRich(line, text => text, momentText)
}
