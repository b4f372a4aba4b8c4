import { expect, test } from 'vitest'
import { marked, markedWords } from '../../../../app/utils/marked'

test.each([
  ['Ada Lovelace', 'lovelace', ['Ada ', '[Lovelace]']],
  ['Ada Lovelace', 'ada lov', ['[Ada]', ' ', '[Lov]', 'elace']],
  ['banana', 'ban ana', ['[ban]', '[a]', 'na']],
  ['nothing like it', 'ada', ['nothing like it']],
  ['Analytical Engines', 'company:"analytical  engines"', ['[Analytical Engines]']],
  ['ada@example.com', 'from:ada after:2026-11-20 form:com', ['[ada]', '@example.com']],
  ['<b>x</b>', '<b>', ['[<b>]', 'x</b>']],
  ['\u0130 ada', 'ada', ['\u0130 ada']],
  ['', 'ada', ['']],
])('of %j, what %j looks for is marked', (text, q, parts) => {
  expect(marked(text, markedWords(q)).map(part => part.hit ? `[${part.text}]` : part.text)).toEqual(parts)
})
