import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'

/**
 * Where a spreadsheet may begin a cell whose text it runs: at the start, and, when it takes another separator than ours
 * or joins lines in its own way, within the text (https://owasp.org/www-community/attacks/CSV_Injection). Some take the
 * full-width forms of these characters for the characters.
 */
const FORMULA = /(?<=^|[\n\r;\t])(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g

/** A text that no spreadsheet runs: an apostrophe stands before what would begin a formula. */
function inert(text: string): string {
  return text.replace(FORMULA, '\'')
}

/** CSV by RFC 4180 as a stream, every cell in quotes. The byte order mark makes Excel read UTF-8. */
export function csvStream(
  columns: readonly string[], rows: AsyncIterable<Readonly<Record<string, string | number>>>,
): Readable {
  const source = Readable.from(rows)
  const csv = stringify({
    header: true, bom: true, quoted: true, quoted_empty: true, record_delimiter: 'windows', cast: { string: inert },
    columns: columns.map(key => ({ key, header: inert(key) })),
  })
  source.on('error', error => csv.destroy(error))
  csv.on('close', () => source.destroy())
  return source.pipe(csv)
}
