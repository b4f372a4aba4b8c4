import { searchTerms } from '../../shared/utils/search-terms'

/** Part of a text; `hit` if it was searched for */
export interface Marked { text: string, hit: boolean }

/** Returns the words that a search looks for in fields, written as rows show them. */
export function markedWords(q: string): string[] {
  const terms = searchTerms(q.toLowerCase()).filter(({ field = '' }) => !['before', 'after', 'form'].includes(field))
  return [...new Set(terms.flatMap(({ text, field, value }) => field === 'from' ? value : [text, value]))].map(
    word => word.replace(/\s+/g, ' '),
  )
}

/** Splits the text at its hits. Ignores case, like the search. */
export function marked(text: string, words: readonly string[]): Marked[] {
  const lowerText = text.toLowerCase()
  // A few letters are longer in lower case, which would shift all positions.
  if (lowerText.length !== text.length) return [{ text, hit: false }]
  const hits = words.flatMap(word => findPlaces(word, lowerText)).sort(([a], [b]) => a - b)
  const parts: Marked[] = []
  let end = 0
  for (const [from, to] of hits) {
    if (to <= end) continue
    const begin = Math.max(from, end)
    if (begin > end) parts.push({ text: text.slice(end, begin), hit: false })
    parts.push({ text: text.slice(begin, to), hit: true })
    end = to
  }
  return end < text.length || parts.length === 0 ? [...parts, { text: text.slice(end), hit: false }] : parts
}

function findPlaces(word: string, text: string): [number, number][] {
  const places: [number, number][] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    places.push([at, at + word.length])
  }
  return places
}
