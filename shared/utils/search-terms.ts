/** One term of a search. */
export interface SearchTerm {
  /** The term as typed, without quotation marks. */
  text: string
  /** `name` in `name:ada`, where `value` is `ada`; absent for a word or a phrase. */
  field?: string
  value: string
}

/**
 * Parses a search: words, `"a phrase"`, `name:ada` and `name:"a phrase"`. An unpaired quotation mark is part of a word.
 */
export function searchTerms(text: string): SearchTerm[] {
  const parts = text.replace(/[\u201C\u201D]/g, '"').split('"')
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join('"'))
  const terms: SearchTerm[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const words = parts[at]!.split(/\s+/)
    const phrase = parts[at + 1]?.trim() ?? ''
    const lastWord = words.at(-1)!
    const field = phrase && lastWord.indexOf(':') === lastWord.length - 1 ? words.pop()!.slice(0, -1) : ''
    terms.push(...words.filter(Boolean).map(readWord))
    if (phrase) terms.push({ text: `${field && `${field}:`}${phrase}`, ...field && { field }, value: phrase })
  }
  return terms
}

function readWord(text: string): SearchTerm {
  const colon = text.indexOf(':')
  const isField = colon > 0 && colon < text.length - 1
  return isField ? { text, field: text.slice(0, colon), value: text.slice(colon + 1) } : { text, value: text }
}
