/** Max nesting levels of parsed JSON. Real data has fewer; 4 MB of `[` would cost half a second and 200 MB. */
export const MAX_NESTING = 100

/** Parses JSON; undefined if the text is not JSON, or is nested too deep. */
export function jsonIn(text: string): unknown {
  // Check for empty text first: a SyntaxError with its stack costs more than everything else for an empty answer.
  if (text === '' || isNestedTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  }
  catch {
    return undefined
  }
}

const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = Array.from(
  '"\\[]{}', character => character.charCodeAt(0),
)

/** True if brackets outside strings are nested deeper than `MAX_NESTING`; the text need not be JSON. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length && depth <= MAX_NESTING; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) isString = !isString
    else if (isString) at += character === BACKSLASH ? 1 : 0
    else if (character === BRACKET || character === BRACE) depth++
    else if (character === BRACKET_END || character === BRACE_END) depth--
  }
  return depth > MAX_NESTING
}
