import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactedAnswer } from '../../../../server/domain/outbox/answer'
import { parseJson } from '../../../../server/domain/json'
import type { SubmissionData } from '../../../../server/ports/submission'
import { escapeHtml } from '../../../../shared/utils/text'
import { runs } from '../../../support/properties'

const DATA = {
  'name': 'Zoë Quintanilla', 'email': 'zoe.q@example.com', 'phone': '+49 (171) 234-56 78', 'size': 'XL', 'age': 4711,
  'message': 'Please call me back "tomorrow" <b>before</b> noon & not later.\nI live at Hauptstraße 5.',
  'nested': { list: [{ city: 'Łódź' }] }, 'My dog is Rex': 'x', 'state': '{"secret":"hunter2"}',
}
const redacted = (answer: string) => redactedAnswer(answer, {
  data: DATA, envelope: { subject: 'Offer wanted', replyTo: 'zoe.q@example.com' }, before: { name: 'Zed Original' },
})

describe('an answer of a receiver', () => {
  test('without a value of the form stays as it is, in one line', () => {
    expect(redacted('{"error":"email is required",\n  "code":422}')).toBe('{"error":"email is required", "code":422}')
  })

  test.each([
    ['as it was sent', 'No user Zoë Quintanilla.', 'No user […].'],
    ['in other case and spacing', 'no user ZOË \n QUINTANILLA.', 'no user […].'],
    ['with its accents apart, or without some of its signs', 'Zoe\u0308 Quintanilla / 49171 2345678!', '[…] / […]!'],
    ['in JSON', JSON.stringify({ quoted: DATA.message }), '{"quoted":"[…]"}'],
    ['in JSON of ASCII', String.raw`{"who":"Zo\u00eb Quintanilla"}`, '{"who":"[…]"}'],
    ['in JSON in JSON',
      JSON.stringify(JSON.stringify({ a: 'p"q', b: DATA.message })).replaceAll('ß', String.raw`\\u00df`),
      String.raw`"{\"a\":\"p\\\"q\",\"b\":\"[…]\"}"`],
    ['in a URL', `Location: /thanks?n=${encodeURIComponent(DATA.name)}&m=${encodeURIComponent(DATA.email)}`,
      'Location: /thanks?n=[…]&m=[…]'],
    ['in a query', `/t?${new URLSearchParams({ n: DATA.name })}`, '/t?n=[…]'],
    ['in HTML', `<p>${escapeHtml(DATA.message)}</p> <i>Zo&euml; Quintanilla</i>`.replace('&euml;', '&#235;'),
      '<p>[…]</p> <i>[…]</i>'],
    ['in HTML with names for letters', 'To Zo&euml; Quintanilla', 'To […]'],
    ['as a number', 'age 4711 is too high', 'age […] is too high'],
    ['short, as a word', 'size XL is not there, XLarge is', 'size […] is not there, XLarge is'],
    ['nested', 'Unknown city: łódź', 'Unknown city: […]'],
    ['in a text that is JSON', 'No password: hunter2', 'No password: […]'],
    ['of the envelope', 'Re: offer wanted', 'Re: […]'],
    ['before an edit', 'Dear Zed Original', 'Dear […]'],
    ['as the name of a field', 'Unknown field My dog is Rex', 'Unknown field […]'],
    ['in part', 'Too long: "Please call me back "tomor…', 'Too long: "[…]…'],
    ['by the first name', 'Hello Zoë!', 'Hello […]!'],
    ['cut off', 'Unknown address zoe.q', 'Unknown address […]'],
  ])('has no value %s', (_, answer, kept) => expect(redacted(answer)).toBe(kept))

  test('keeps its first 300 characters, and shows what is hidden', () => {
    expect(redacted(`a\u202Eb ${'-'.repeat(1000)}`)).toMatch(/^a b -{295}…$/)
    expect(redacted('a\u200Bb')).not.toContain('\u200B')
  })

  test('is searched fast, whatever it and the form contain', () => {
    const startedAt = performance.now()
    const hostile = String.raw`&amp;#x41;%2541\u0041+`.repeat(1000)
    redactedAnswer(hostile, { data: { a: hostile.repeat(10), b: 'a'.repeat(250_000) } })
    expect(performance.now() - startedAt).toBeLessThan(1500)
  })
})

const ENCODINGS: ((text: string) => string)[] = [
  text => text, text => text.toUpperCase(), text => JSON.stringify(text).slice(1, -1), escapeHtml,
  text => encodeURIComponent(text.toWellFormed()),
  text => JSON.stringify(escapeHtml(text)).slice(1, -1),
  text => text.replaceAll(/[^ -~]/g, unit => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
]

test('no value of 3 characters or more survives, in any encoding, around anything', () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 3, maxLength: 40 }), fc.string({ minLength: 3, maxLength: 40 }),
    fc.constantFrom('Zoë', 'a&b', '"x"', '100%', 'a\\b', '<b>', '+49 1'),
  ).filter(text => text.trim().length >= 3 && !'[…]'.includes(text.trim()))
  const around = fc.constantFrom('', ' ', '"', '=', '{"error":"', 'Unknown: ', '\n', '<p>')
  fc.assert(fc.property(value, fc.constantFrom(...ENCODINGS), around, around, (text, encode, before, after) => {
    const sent = encode(text)
    const data = parseJson(JSON.stringify({ a: [{ b: text }] })) as SubmissionData
    const kept = redactedAnswer(before + sent + after, { data })
    expect(kept).not.toContain(text)
    expect(kept).not.toContain(sent)
  }), { numRuns: runs(1000) })
})
