import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'

/**
 * CSV by RFC 4180 as a stream, for spreadsheets: a value that one would run as a formula starts with an apostrophe
 * (https://owasp.org/www-community/attacks/CSV_Injection). The byte order mark makes Excel read UTF-8.
 */
export function csvStream(columns: readonly string[], rows: AsyncIterable<Readonly<Record<string, string | number>>>): Readable {
  const source = Readable.from(rows)
  const csv = stringify({ header: true, bom: true, escape_formulas: true, record_delimiter: 'windows', columns: columns.map(key => ({ key, header: key })) })
  source.on('error', error => csv.destroy(error))
  csv.on('close', () => source.destroy())
  return source.pipe(csv)
}
