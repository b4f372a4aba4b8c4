import type { RichText, Timestamp } from '../types/line'

/** Template tag for rich text made of words, times and other rich texts; adjacent words are joined. */
export function rich(words: TemplateStringsArray, ...parts: readonly (RichText | Timestamp)[]): RichText {
  return joinRich(words.flatMap((word, index) => index === 0 ? [word] : [parts[index - 1]!, word]))
}

/** Returns the parts as one line; adjacent words are joined. */
export function joinRich(parts: readonly (RichText | Timestamp)[]): RichText {
  const line: (string | Timestamp)[] = ['']
  for (const part of parts.flatMap(richParts)) {
    const lastPart = line.at(-1)
    if (typeof part === 'string' && typeof lastPart === 'string') line.splice(-1, 1, lastPart + part)
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

/** Renders the line as one string. */
export function renderRich(
  line: RichText, renderText: (text: string) => string, renderTime: (time: Timestamp) => string,
): string {
  return richParts(line).map(part => typeof part === 'string' ? renderText(part) : renderTime(part)).join('')
}

/** Renders the line for readers whose time zone is unknown. */
export function plainText(line: RichText): string {
  return renderRich(line, text => text, inUtc)
}

/** `21 Nov 2026, 12:03 UTC`, `12:03 UTC` or `12:03:10 UTC`: the same form for every reader of a language. */
export function inUtc({ at, shows, language }: Timestamp): string {
  if (language !== undefined) return `${formatterOf(language, shows).format(at)} UTC`
  // `Sat, 21 Nov 2026 12:03:00 GMT` in every locale (ECMA-262); locale formatters cost a hundred times as much.
  const [, day, month, year, time = ''] = new Date(at).toUTCString().split(' ')
  if (shows === 'seconds') return `${time} UTC`
  return `${shows === 'date' ? `${Number(day)} ${month} ${year}, ` : ''}${time.slice(0, 5)} UTC`
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(language: string, shows: Timestamp['shows']): Intl.DateTimeFormat {
  const key = `${language} ${shows}`
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(language, {
    timeZone: 'UTC', dateStyle: shows === 'date' ? 'medium' : undefined,
    timeStyle: shows === 'seconds' ? 'medium' : 'short',
  })
  formatters.set(key, formatter)
  return formatter
}
