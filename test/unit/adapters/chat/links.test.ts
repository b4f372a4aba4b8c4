import { describe, expect, test } from 'vitest'
import { openCode, withPlainLinks } from '../../../../server/adapters/chat/links'

const SITE = 'https://forms.example.com'

const showWords = async (pieces: readonly string[]) => (
  (await Array.fromAsync(withPlainLinks((async function* () { yield* pieces })(), SITE))).join('')
)

const CASES: readonly [what: string, text: string, shown: string][] = [
  [
    'a label that hides its address', 'Pay at [your bank](https://evil.example/?d=ada) now',
    'Pay at your bank (`https://evil.example/?d=ada`) now',
  ],
  ['a label that is its address', '[https://a.example](https://a.example)', '`https://a.example`'],
  [
    'an address with spaces, and one with a title', '[a](<https://a.example/b c>) [b](https://b.example "title")',
    'a (`https://a.example/b c`) b (`https://b.example`)',
  ],
  [
    'an image', 'Look: ![a duck](https://evil.example/p.png?d=ada)',
    'Look: a duck (`https://evil.example/p.png?d=ada`)',
  ],
  [
    'an image that is a link', '[![duck](https://i.example/a.png)](https://evil.example)',
    'duck (`https://i.example/a.png`) (`https://evil.example`)',
  ],
  ['a reference', '[ref][1]\n\n[1]: https://evil.example "title"', '[ref][1]\n\n[1]\u200B: `https://evil.example` "title"'],
  ['an address', 'Go to https://evil.example/a?b=c.', 'Go to `https://evil.example/a?b=c`.'],
  [
    'an address without a scheme', '(www.evil.example), evil.example/x and 10.0.0.1/x',
    '(`www.evil.example`), `evil.example/x` and `10.0.0.1/x`',
  ],
  [
    'an address between other signs', '**https://a.example** <https://b.example>',
    '**`https://a.example`** <`https://b.example`>',
  ],
  [
    'links of Slack, Google Chat and HTML', '<https://evil.example|Click here> <a href="https://evil.example">',
    '<`https://evil.example|Click` here> <\u200Ba `href="https://evil.example`">',
  ],
  ['an address in text without spaces', '日本語https://evil.example/xです', '日本語`https://evil.example/x`です'],
  [
    'one of our own pages', '[the card](https://forms.example.com/submissions/1)',
    'the card (https://forms.example.com/submissions/1)',
  ],
  [
    'an address that only begins like ours', 'https://forms.example.com@evil.example/x',
    '`https://forms.example.com@evil.example/x`',
  ],
  [
    'code, which is text already', '`https://a.example` and\n```js\nhttps://b.example\n```\n',
    '`https://a.example` and\n```js\nhttps://b.example\n```\n',
  ],
  ['a backtick that is never closed', 'lone ` then https://a.example', 'lone \\` then `https://a.example`'],
  ['an escaped backtick', '\\`https://a.example', '\\``https://a.example`'],
  ['brackets that are no link', '[x] done, [1] (see a[b](, c](d)', '[x] done, [1] (see a[b]\u200B(, c]\u200B(d)'],
  [
    'email addresses and ordinary words', 'Ada <ada@example.com> wrote, e.g. at 9.30 p.m.',
    'Ada <ada@example.com> wrote, e.g. at 9.30 p.m.',
  ],
  ['the name of a file', 'Saved reports/ada.json.', 'Saved `reports/ada.json`.'],
  [
    'a link whose signs are escaped', 'Pay at \\[your bank\\]\\(https\\://evil\\.example/?d=ada\\) now',
    'Pay at \\[your `bank](https://evil.example/?d=ada`\\) now',
  ],
  [
    'characters that are written as numbers and names', 'https&#58;//evil&#x2e;example &lt;b&gt; R&D;',
    'https&\u200B#58;//evil&\u200B#x2e;example &\u200Blt;b&\u200Bgt; R&\u200BD;',
  ],
  [
    'an address with emphasis and tags in it', 'evil*.*example evil<b>.</b>example http*s*://3232235777/p',
    '`evil.example` `evil.example` `http*s*://3232235777/p`',
  ],
  ['escaped signs in words that are no address', 'a\\*b\\* \\[x\\](y) C\\#', 'a\\*b\\* \\[x\\]\u200B(y) C\\#'],
]

describe('what a model says shows', () => {
  test.each(CASES)('%s as text, however it is cut into pieces', async (_, text, expected) => {
    for (const pieces of [[text], [...text]]) expect(await showWords(pieces)).toBe(expected)
    for (let at = 1; at < text.length; at++) expect(await showWords([text.slice(0, at), text.slice(at)])).toBe(expected)
  })

  test('words as soon as they are whole', async () => {
    const pieces = ['One ', 'two', ' three [', 'x] ', 'end']
    const received: string[] = []
    for await (const piece of withPlainLinks((async function* () { yield* pieces })(), SITE)) received.push(piece)
    expect(received).toEqual(['One ', 'two three ', '[x] ', 'end'])
  })

  test('everything after markup that never ends', async () => {
    const text = `[${'x '.repeat(3000)}`
    expect(await showWords(text.match(/[^]{1,100}/g)!)).toBe(text)
  })
})

test.each([
  ['a `b` c', null], ['a ```\nb', '```'], ['a `b', '`'], ['a \\` b', null],
])('%j leaves %j open', (text, open) => expect(openCode(text)).toBe(open))
