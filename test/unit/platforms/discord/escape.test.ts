import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeMarkdown } from '../../../../server/platforms/discord/escape'
import { printable } from '../../../../server/platforms/shared/text'
import { hostileText } from '../../../fixtures/form-data'
import { unescapeMarkdown } from '../../../support/discord/markdown'
import { runs } from '../../../support/properties'

test('any text is read as it was typed', () => {
  fc.assert(fc.property(hostileText, (text) => {
    expect(unescapeMarkdown(escapeMarkdown(text))).toBe(printable(text))
  }), { numRuns: runs(1000) })
})

test.each([
  'Ada Lovelace', 'ada@example.com', '12:03 UTC', '3 > 2, 2 < 3 is not escaped in vain', '2026-11-21', '-5', '#1',
  'C# is (sharp)', '1.5', 'a: b', '10:30:45',
])('ordinary text gets few backslashes or none: %s', (text) => {
  expect(escapeMarkdown(text).length - text.length).toBeLessThanOrEqual(2)
})

test('control characters are left out, tabs and line ends stay', () => {
  expect(printable('\u0000a\u0007\tb\r\nc\rd\u007F\u0085')).toBe('a\tb\nc\nd')
})

test('lone surrogates, which Discord refuses, are replaced', () => expect(escapeMarkdown('\uD800x')).toBe('\uFFFDx'))
