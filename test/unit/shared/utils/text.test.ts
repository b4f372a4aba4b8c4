import { describe, expect, test } from 'vitest'
import { visible } from '../../../../shared/utils/text'

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
    ['hyphens that divide no word', '\u00AD a\u00AD\u00ADb 1\u00AD2', '⟨U+00AD⟩ a\u00AD⟨U+00AD⟩b 1⟨U+00AD⟩2'],
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
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  test.each([
    ['emoji that are joined', '👩‍🚀 👨‍👩‍👧 🏳️‍🌈 ❤️ 👍🏽'],
    ['variants of emoji, digits and ideographs', '☎\uFE0E ☎\uFE0F 5\uFE0F\u20E3 葛\u{E0100}城 辻\u{E0101}'],
    ['a flag made of tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Hi'],
    ['Hebrew and Arabic', 'שָׁלוֹם עולם مرحبا بالعالم'],
    ['Persian and Hindi with joiners', 'می‌خواهم क्‍ष PDF\u200Cها'],
    ['words that may be divided', 'Donau\u00ADdampf\u00ADschiff'],
    ['variants of signs, Mongolian and points of Hebrew', '★\uFE0F ≨\uFE00 ，\uFE01 ᠠ\u180B א\u05B7\u034F\u05B0'],
    ['Thai and Khmer with spaces of no width', 'ภาษา\u200Bไทย ភាសា\u200Bខ្មែរ'], ['line ends and tabs', 'a\r\n\tb'],
  ])('leaves %s untouched', (_, text) => {
    expect(visible(text)).toBe(text)
  })
})
