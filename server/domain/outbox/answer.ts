import { beginning, cut, oneLine } from '../../../shared/utils/text'
import { jsonIn } from '../../../shared/utils/json'
import type { Submission } from '../../ports/submission'
import { fieldText } from '../fields/values'
import { isNumber } from '../json'

/** Max length of an answer that is kept, and of the beginning that is searched for values of the form. */
const [MOST_KEPT, MOST_SEARCHED] = [300, 2000]

const MARK = '[…]'

/** A run of so many characters of a value counts as the value: receivers quote long values in part. */
const RUN = 8

/** Values of at least this length count wherever they are; shorter ones only as whole words. */
const MIN_VALUE = 3

/** Values up to this length count word by word, too: a receiver may greet by the first name. */
const SHORT_VALUE = 64

/** Names of fields that tell what is wrong, such as `email` or `items[0].name`. Any other name may be personal. */
const PLAIN_NAME = /^[\w.[\]-]{1,40}$/

/** Times that a text may be encoded, for example as HTML in a string of JSON. */
const MOST_LAYERS = 3

/** A reading of the answer: units of text, each with the start and the end of its source in the answer. */
type Reading = readonly { text: string, start: number, end: number }[]

/** An encoding: what it writes for other text, and that text; undefined if it only looks like that. */
interface Encoding { pattern: RegExp, decode: (match: string) => string | undefined }

const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' }
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ', szlig: 'ß', euro: '€', ndash: '–', mdash: '—',
}
const ACCENTS: Readonly<Record<string, string>> = {
  grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', uml: '\u0308', ring: '\u030A', cedil: '\u0327',
}

/** UTF-16 units as `\u00eb`; a surrogate pair is one character. */
const UNITS = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}/giu
const unitsOf = (match: string) => (
  match.replaceAll(/\\[ux]([\da-f]+)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
)

const ENCODINGS: readonly Encoding[] = [
  // Strings of JSON and of programming languages; first without `\\`, in case that this is no escape itself.
  { pattern: UNITS, decode: unitsOf },
  { pattern: new RegExp(String.raw`${UNITS.source}|\\[^ux]`, 'giu'), decode: match => (
    match.length > 3 ? unitsOf(match) : LETTERS[match[1]!] ?? match.slice(1)
  ) },
  // URLs and their queries
  { pattern: /(?<!%[\da-f]{2})(?:%[\da-f]{2})+|\+/gi, decode: (match) => {
    if (match === '+') return ' '
    try {
      return decodeURIComponent(match)
    }
    catch {
      return undefined
    }
  } },
  // HTML
  { pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});?/gi, decode: (match) => {
    const [, decimal, hex, name = ''] = /^&(?:#(\d+)|#x([\da-f]+)|(\w+))/i.exec(match)!
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    if (!Number.isNaN(code)) return code > 0 && code <= 0x10_FF_FF ? String.fromCodePoint(code) : undefined
    const accent = ACCENTS[name.slice(1)]
    return accent ? name[0]! + accent : ENTITIES[name.toLowerCase()]
  } },
]

/**
 * Returns the beginning of a receiver's answer in one line, without any value of the form. Rather takes out too much:
 * also pieces of values, values in other encodings or in another spelling, and words of short values.
 *
 * @param answer as received; it may quote the form, in any encoding
 */
export function redactedAnswer(answer: string, submission: Pick<Submission, 'data' | 'envelope' | 'before'>): string {
  const source = beginning(answer, MOST_SEARCHED)
  const values = [...new Set(valuesIn([submission.data, submission.envelope, submission.before]))]
  const isTaken = new Uint8Array(source.length)
  for (const value of values) takeExact(source, value, isTaken)
  const readings = readingsOf(source)
  for (const fold of [folded, bare]) {
    const texts = readings.map(reading => foldReading(reading, fold))
    const runs = runsOf(texts)
    for (const value of values) takeFolded(foldWhole(value, fold), texts, runs, fold === folded, isTaken)
  }
  let text = ''
  for (let at = 0; at < source.length; at++) {
    if (!isTaken[at]) text += source[at]
    else if (!isTaken[at - 1]) text += MARK
  }
  return cut(oneLine(text.toWellFormed()), MOST_KEPT)
}

/** Lists every text and number at any depth, also in texts that are JSON, and names of fields that may be personal. */
function valuesIn(value: unknown): string[] {
  if (isNumber(value) || typeof value === 'number') return [fieldText(value)]
  if (typeof value === 'string') {
    const parsed = /^\s*[[{]/.test(value) ? jsonIn(value) : undefined
    return [value, ...typeof parsed === 'object' ? valuesIn(parsed) : []]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [...PLAIN_NAME.test(name) ? [] : [name], ...valuesIn(item)])
}

/** Returns the answer as it is, and decoded in all ways that change it. */
function readingsOf(source: string): Reading[] {
  const readings = new Map<string, Reading>()
  const add = (reading: Reading, depth: number) => {
    const text = reading.map(unit => unit.text).join('')
    if (readings.has(text)) return
    readings.set(text, reading)
    if (depth === MOST_LAYERS) return
    for (const encoding of ENCODINGS) add(decoded(reading, text, encoding), depth + 1)
  }
  add(Array.from(source.matchAll(/./gsu), ({ 0: text, index }) => (
    { text, start: index, end: index + text.length }
  )), 0)
  return [...readings.values()]
}

/** Returns the reading with an encoding undone. */
function decoded(reading: Reading, text: string, { pattern, decode }: Encoding): Reading {
  const unitAt = reading.flatMap((unit, index) => Array.from({ length: unit.text.length }, () => index))
  const next: { text: string, start: number, end: number }[] = []
  let index = 0
  for (const match of text.matchAll(pattern)) {
    const meaning = decode(match[0])
    if (meaning === undefined) continue
    const [first, last] = [unitAt[match.index]!, unitAt[match.index + match[0].length - 1]!]
    next.push(...reading.slice(index, first), { text: meaning, start: reading[first]!.start, end: reading[last]!.end })
    index = last + 1
  }
  return [...next, ...reading.slice(index)]
}

type Fold = (text: string) => string

/** Folds case, accents written in several ways, white space, and characters that nobody sees. */
function folded(text: string): string {
  return text.normalize('NFKD').toUpperCase().toLowerCase().replaceAll(/\s+/g, ' ').replaceAll(
    /(?! )[\p{Default_Ignorable_Code_Point}\p{C}]/gu, '',
  )
}

/** Folds, and leaves only letters and digits: receivers write telephone numbers and lists in other ways. */
function bare(text: string): string {
  return folded(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Folds a value in the same way as a reading: character by character. Others could change it, as in a final sigma. */
function foldWhole(value: string, fold: Fold): string {
  const text = /^[\0-\x7F]*$/.test(value) ? fold(value) : Array.from(value, fold).join('')
  return text.replaceAll(/ +/g, ' ').trim()
}

/** Takes out a value that is there letter for letter, whatever its letters are. */
function takeExact(source: string, value: string, isTaken: Uint8Array): void {
  if (value.trim().length < MIN_VALUE) return
  for (let at = source.indexOf(value); at >= 0; at = source.indexOf(value, at + 1)) {
    isTaken.fill(1, at, at + value.length)
  }
}

/** A folded reading: its text, and for each of its units the place in the answer that it comes from. */
interface FoldedText { text: string, places: readonly Place[] }

interface Place { start: number, end: number }

function foldReading(reading: Reading, fold: Fold): FoldedText {
  let text = ''
  const places: Place[] = []
  for (const unit of reading) {
    // One space stands for a run of them, over several units.
    const meaning = fold(unit.text)
    const piece = text.endsWith(' ') ? meaning.replace(/^ /, '') : meaning
    text += piece
    for (let index = 0; index < piece.length; index++) places.push(unit)
  }
  return { text, places }
}

/** Returns all runs of the texts, with the places in the answer that they come from. */
function runsOf(texts: readonly FoldedText[]): Map<string, Place[]> {
  const runs = new Map<string, Place[]>()
  for (const { text, places } of texts) {
    for (let at = 0; at + RUN <= text.length; at++) {
      const [run, place] = [text.slice(at, at + RUN), { start: places[at]!.start, end: places[at + RUN - 1]!.end }]
      const known = runs.get(run)
      if (known) known.push(place)
      else runs.set(run, [place])
    }
  }
  return runs
}

/** Takes out a folded value. @param hasWords true if words are told apart */
function takeFolded(
  value: string, texts: readonly FoldedText[], runs: Map<string, readonly Place[]>, hasWords: boolean,
  isTaken: Uint8Array,
): void {
  for (let from = 0; from + RUN <= value.length && runs.size > 0; from++) {
    const run = value.slice(from, from + RUN)
    for (const { start, end } of runs.get(run) ?? []) isTaken.fill(1, start, end)
    // Taken once is enough: texts that repeat themselves would take long.
    runs.delete(run)
  }
  const words = value.length > SHORT_VALUE || !hasWords
    ? []
    : [value, ...value.split(/[^\p{L}\p{M}\p{N}]+/u).filter(word => word.length >= MIN_VALUE)]
  for (const { text, places } of texts) {
    const take: Take = (at, length) => void isTaken.fill(1, places[at]!.start, places[at + length - 1]!.end)
    takeEnd(text, value, take)
    if (value.length >= MIN_VALUE && value.length < RUN) takeAll(text, value, take)
    for (const word of words) takeAll(text, word, (at, length) => {
      if (isWord(text, at, length)) take(at, length)
    })
  }
}

type Take = (at: number, length: number) => void

function takeAll(text: string, wanted: string, take: Take): void {
  if (wanted === '') return
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) take(at, wanted.length)
}

/** Takes out the beginning of a value with which the answer was cut off. */
function takeEnd(text: string, wanted: string, take: Take): void {
  for (let length = Math.min(RUN, wanted.length); length >= MIN_VALUE; length--) {
    if (text.endsWith(wanted.slice(0, length))) return take(text.length - length, length)
  }
}

function isWord(text: string, at: number, length: number): boolean {
  return !/[\p{L}\p{N}]/u.test((text[at - 1] ?? ' ') + (text[at + length] ?? ' '))
}
