/** A number as it was sent. JavaScript would show some as others: `1.0`, or those of many digits. */
export class SentNumber {
  constructor(readonly text: string) {}
}

/** A string, with the colon behind it when it is a key; or a number. */
const TOKENS = /"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d[\d.eE+-]*/g

/** Values as texts that begin with `n` for a number and `s` for a string. */
const marked = (json: string) => json.replace(TOKENS, (token, text?: string, colon?: string) => {
  if (colon) return token
  return text === undefined ? `"n${token}"` : `"s${text}"`
})

/** The value of JSON text, its numbers as `SentNumber`. Not every browser tells a reviver how a number was written. */
export function readExactly(json: string): unknown {
  return JSON.parse(marked(json), (_, value: unknown) => {
    if (typeof value !== 'string') return value
    return value.startsWith('n') ? new SentNumber(value.slice(1)) : value.slice(1)
  })
}

/** JSON text over many lines, its values as they were. */
export function prettyJson(json: string): string {
  return JSON.stringify(JSON.parse(marked(json)), null, 2)
    .replace(TOKENS, (token, text?: string, colon?: string) => {
      if (colon || text === undefined) return token
      return text.startsWith('n') ? text.slice(1) : `"${text.slice(1)}"`
    })
}
