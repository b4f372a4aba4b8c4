import type { RichText, Timestamp } from '../types/line'

/** A line of words, moments and other lines, by a template; words that meet become one. */
export function rich(words: TemplateStringsArray, ...parts: readonly (RichText | Timestamp)[]): RichText {
  const line: (string | Timestamp)[] = [words[0]!]
  for (const part of parts.flatMap((part, index) => [...richParts(part), words[index + 1]!])) {
    const last = line.at(-1)
    if (typeof part === 'string' && typeof last === 'string') line.splice(-1, 1, last + part)
    else line.push(part)
  }
  return line.length === 1 ? line[0] as string : line.filter(part => part !== '')
}

export function richParts(line: RichText | Timestamp): readonly (string | Timestamp)[] {
  return Array.isArray(line) ? line as readonly (string | Timestamp)[] : [line as string | Timestamp]
}

export function dateTime(at: number): Timestamp {
  return { at, shows: 'date' }
}

/** For times within a few hours. */
export function timeOfDay(at: number): Timestamp {
  return { at, shows: 'clock' }
}

/** For times within seconds. */
export function exactTime(at: number): Timestamp {
  return { at, shows: 'seconds' }
}

/** The line as one text. */
export function renderRich(
  line: RichText, words: (text: string) => string, moment: (moment: Timestamp) => string,
): string {
  return richParts(line).map(part => typeof part === 'string' ? words(part) : moment(part)).join('')
}

/** The line for readers of whom no time zone is known. */
export function plainText(line: RichText): string {
  return renderRich(line, text => text, inUtc)
}

/** `21 Nov 2026, 12:03 UTC`, `12:03 UTC` or `12:03:10 UTC`: one form for every reader, wherever they are. */
export function inUtc({ at, shows }: Timestamp): string {
  // `Sat, 21 Nov 2026 12:03:00 GMT`, whatever the locale (ECMA-262); formatters for a locale cost a hundred times as
  // much.
  const [, day, month, year, time = ''] = new Date(at).toUTCString().split(' ')
  if (shows === 'seconds') return `${time} UTC`
  return `${shows === 'date' ? `${Number(day)} ${month} ${year}, ` : ''}${time.slice(0, 5)} UTC`
}
