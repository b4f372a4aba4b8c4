/** What the JSON says; undefined for what is no JSON. */
export function jsonIn(text: string): unknown {
  // An answer that nobody reads: an error, with its stack, would cost more than the rest of it.
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  }
  catch {
    return undefined
  }
}
