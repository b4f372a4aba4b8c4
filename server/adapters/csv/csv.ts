import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'

/**
 * Matches positions at which a spreadsheet may see a formula: the start of a cell, and places inside the text that
 * start a cell in programs with other separators or line rules (https://owasp.org/www-community/attacks/CSV_Injection).
 * Some spreadsheets treat the full-width forms of these characters in the same way.
 */
const FORMULA = /(?<=^|[\n\r;\t])(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g

/** Puts an apostrophe before everything that would begin a formula, so that no spreadsheet runs the text. */
function escapeFormulas(text: string): string {
  return text.replace(FORMULA, '\'')
}

/** Streams CSV by RFC 4180 with every cell in quotes. The byte order mark makes Excel read UTF-8. */
export function csvStream(
  columns: readonly string[], rows: AsyncIterable<Readonly<Record<string, string | number>>>,
): Readable {
  const source = Readable.from(rows)
  const csv = stringify({
    header: true, bom: true, quoted: true, quoted_empty: true, record_delimiter: 'windows',
    cast: { string: escapeFormulas }, columns: columns.map(key => ({ key, header: escapeFormulas(key) })),
  })
  source.on('error', error => csv.destroy(error))
  csv.on('close', () => source.destroy())
  return source.pipe(csv)
}
