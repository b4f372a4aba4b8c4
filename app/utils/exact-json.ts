/** Number as it was sent: JavaScript would change numbers such as `1.0`, or those with many digits. */
export class SentNumber {
  constructor(readonly text: string) {}
}

/** A string, with the colon after it if it is a key, or a number */
const TOKENS = /"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d[\d.eE+-]*/g

/** Turns values into strings that begin with `n` for a number and `s` for a string. */
const markTypes = (json: string) => json.replace(TOKENS, (token, text?: string, colon?: string) => {
  if (colon) return token
  return text === undefined ? `"n${token}"` : `"s${text}"`
})

/** Parses JSON, with numbers as `SentNumber`: not every browser passes the source text of a number to a reviver. */
export function readExactly(json: string): unknown {
  return JSON.parse(markTypes(json), (_, value: unknown) => {
    if (typeof value !== 'string') return value
    return value.startsWith('n') ? new SentNumber(value.slice(1)) : value.slice(1)
  })
}

/** Formats JSON over many lines without changing its values. */
export function prettyJson(json: string): string {
  return JSON.stringify(JSON.parse(markTypes(json)), null, 2)
    .replace(TOKENS, (token, text?: string, colon?: string) => {
      if (colon || text === undefined) return token
      return text.startsWith('n') ? text.slice(1) : `"${text.slice(1)}"`
    })
}
