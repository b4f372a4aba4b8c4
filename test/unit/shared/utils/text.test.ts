import { describe, expect, test } from 'vitest'
import { isStacked, oneLine, visible } from '../../../../shared/utils/text'

describe('text', () => {
  test.each([
    ['an override that makes an .exe pass for a picture', 'picture\u202Egpj.exe', 'picture⟨U+202E⟩gpj.exe'],
    [
      'every embedding, override, isolate and mark of direction',
      '\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200E\u200F\u061C',
      '⟨U+202A⟩⟨U+202B⟩⟨U+202C⟩⟨U+202D⟩⟨U+202E⟩⟨U+2066⟩⟨U+2067⟩⟨U+2068⟩⟨U+2069⟩⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩',
    ],
    ['characters that take no room', 'pay\u200Bpal\u2060\uFEFF', 'pay⟨U+200B⟩pal⟨U+2060⟩⟨U+FEFF⟩'],
    ['tags, in which a text can hide', 'Hi\u{E0041}\u{E0042}', 'Hi⟨U+E0041⟩⟨U+E0042⟩'],
    [
      'selectors of a variant where there is none, in which a text can hide as well',
      '😀\u{E0158}\u{E0159} H\u{E0101}i 👍\uFE0F\uFE0E 葛\u{E0100}\uFE01',
      '😀⟨U+E0158⟩⟨U+E0159⟩ H⟨U+E0101⟩i 👍\uFE0F⟨U+FE0E⟩ 葛\u{E0100}⟨U+FE01⟩',
    ],
    [
      'selectors behind letters, spaces and signs that have no variants, one each',
      'H\uFE00i\uFE0F \uFE01y\u{E0101}ou.\uFE02 1\uFE00 😀\uFE00',
      'H⟨U+FE00⟩i⟨U+FE0F⟩ ⟨U+FE01⟩y⟨U+E0101⟩ou.⟨U+FE02⟩ 1⟨U+FE00⟩ 😀⟨U+FE00⟩',
    ],
    [
      'letters that are drawn as nothing, of which somebody may make a name or an end',
      '\u3164 a\uFFA0b \u115F\u1160 \u17B4', '⟨U+3164⟩ a⟨U+FFA0⟩b ⟨U+115F⟩⟨U+1160⟩ ⟨U+17B4⟩',
    ],
    [
      'what makes a name or an address another one', 'ada@exam\u034Fple.com a\u200Db x\u200C\u200Cy',
      'ada@exam⟨U+034F⟩ple.com a⟨U+200D⟩b x\u200C⟨U+200C⟩y',
    ],
    ['hyphens that nobody sees, within words too', 'pass\u00ADword 1\u00AD2', 'pass⟨U+00AD⟩word 1⟨U+00AD⟩2'],
    [
      'blanks of Braille, places of objects and heads of notes', 'a\u2800b \uFFFC \u{1D159}',
      'a⟨U+2800⟩b ⟨U+FFFC⟩ ⟨U+1D159⟩',
    ],
    ['controls', 'a\u0000b\u001B[2J\u007F\u0085\u009B\u000B', 'a⟨U+0000⟩b⟨U+001B⟩[2J⟨U+007F⟩⟨U+0085⟩⟨U+009B⟩⟨U+000B⟩'],
    ['what is no character', '\uFDD0\uFFFE\u{1FFFF}\u{10FFFE}', '⟨U+FDD0⟩⟨U+FFFE⟩⟨U+1FFFF⟩⟨U+10FFFE⟩'],
    [
      'words that mail programs decode', 'Re: =?utf-8?B?4oCuZ3Bq?= =?ISO-8859-1*en?q?a?=',
      'Re: ⟨=?⟩utf-8?B?4oCuZ3Bq?= ⟨=?⟩ISO-8859-1*en?q?a?=',
    ],
    [
      'annotations and marks of other writings', '\uFFF9a\uFFFB b\u180Bc\u{1D173}',
      '⟨U+FFF9⟩a⟨U+FFFB⟩ b⟨U+180B⟩c⟨U+1D173⟩',
    ],
    ['characters that nobody uses any more', 'a\u206A\u206Fb', 'a⟨U+206A⟩⟨U+206F⟩b'],
    ['tags behind a flag that they do not name', '🏴\u{E0068}\u{E0069}\u{E007F}', '🏴⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩'],
    [
      'a mark within Hebrew and Arabic, whose letters stay as they are', 'שלום\u200F, مرحبا\u061C!',
      'שלום⟨U+200F⟩, مرحبا⟨U+061C⟩!',
    ],
  ])('shows %s', (_, text, shown) => expect(visible(text)).toBe(shown))

  test.each([
    ['emoji that are joined', '👩‍🚀 👨‍👩‍👧 🏳️‍🌈 ❤️ 👍🏽'],
    ['variants of emoji, digits and ideographs', '☎\uFE0E ☎\uFE0F 5\uFE0F\u20E3 葛\u{E0100}城 辻\u{E0101}'],
    ['a flag made of tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Hi'],
    ['Hebrew and Arabic', 'שָׁלוֹם עולם مرحبا بالعالم'],
    ['Persian and Hindi with joiners', 'می‌خواهم क्‍ष PDF\u200Cها'],
    ['Braille with blanks', '⠓⠑⠇⠇⠕\u2800⠺⠕⠗⠇⠙'], ['numbers of Arabic and Kaithi', '\u0600١٢ \u06DD١ \u{110BD}'],
    ['questions and equations', 'a=?b a =? b x?B?y =?= =?utf-8'],
    ['variants of signs, Mongolian and points of Hebrew', '★\uFE0F ≨\uFE00 ，\uFE01 ᠠ\u180B א\u05B7\u034F\u05B0'],
    ['Thai and Khmer with spaces of no width', 'ภาษา\u200Bไทย ភាសា\u200Bខ្មែរ'], ['line ends and tabs', 'a\r\n\tb'],
  ])('leaves %s untouched', (_, text) => expect(visible(text)).toBe(text))
})

test.each([
  ['a\r\nBcc: b', 'a Bcc: b'], ['Re\u202Eply', 'Re ply'], ['a\u200Db 👩‍🚀', 'a⟨U+200D⟩b 👩‍🚀'],
  ['=?utf-8?B?4oCu?=', '⟨=?⟩utf-8?B?4oCu?='], ['=\u202E?utf-8?B?4oCu?=', '= ?utf-8?B?4oCu?='],
  ['\u3164Ada\u2800', '⟨U+3164⟩Ada⟨U+2800⟩'],
])('%j is the line %j', (text, line) => expect(oneLine(text)).toBe(line))

test('marks that stand on thirty others are counted, and those of languages stay', () => {
  expect(visible(`Z${'\u0301'.repeat(120_000)}!`)).toBe(`Z${'\u0301'.repeat(30)}⟨+119,970 marks⟩!`)
  expect(visible(`Z${'\u0301'.repeat(31)}`)).toBe(`Z${'\u0301'.repeat(30)}⟨+1 mark⟩`)
  for (const text of ['Vie\u0302\u0323t', 'e\u0301'.repeat(1000), 'བརྒྱད', 'שָׁלוֹם']) {
    expect([visible(text), isStacked(text)]).toEqual([text, false])
  }
  expect(isStacked(`Z${'\u0301'.repeat(31)}`)).toBe(true)
})

test('nothing that Unicode lists as unseen passes, but what writes something where it stands', () => {
  const passing = Array.from({ length: 0x110000 }, (_, code) => code).filter(code => (
    /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]/u.test(String.fromCodePoint(code))
    && visible(`a${String.fromCodePoint(code)}b`) === `a${String.fromCodePoint(code)}b`
  )).map(code => code.toString(16))
  expect(passing).toEqual(`
    9 a d 600 601 602 603 604 605 6dd 70f 890 891 8e2 110bd 110cd 13430 13431 13432 13433 13434 13435 13436 13437 13438
    13439 1343a 1343b 1343c 1343d 1343e 1343f
  `.trim().split(/\s+/))
})
