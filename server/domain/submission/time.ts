/** `21 Nov 2026, 12:03 UTC`: one form for every reader, wherever they are. */
export function readTime(epochMs: number): string {
  // `Sat, 21 Nov 2026 12:03:00 GMT`, whatever the locale (ECMA-262); formatters for a locale cost a hundred times as much.
  const [, day, month, year, time = ''] = new Date(epochMs).toUTCString().split(' ')
  return `${Number(day)} ${month} ${year}, ${time.slice(0, 5)} UTC`
}
