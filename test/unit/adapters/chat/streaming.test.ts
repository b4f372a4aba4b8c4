import { DiscordFormatConverter } from '@chat-adapter/discord'
import { GoogleChatFormatConverter } from '@chat-adapter/gchat'
import { TeamsFormatConverter } from '@chat-adapter/teams'
import { TelegramFormatConverter } from '@chat-adapter/telegram'
import { WhatsAppAdapter } from '@chat-adapter/whatsapp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { say } from '../../../../server/adapters/chat/streaming'
import { outside } from '../../../../server/platforms/registry'
import { withoutMarkdown } from '../../../../server/platforms/whatsapp/escape'

const SITE = 'https://forms.example.com'

/** Posts an answer that arrives in these pieces; returns the posted messages. */
async function postWords(pieces: readonly string[], length = 40): Promise<string[]> {
  const messages: string[] = []
  const thread = { post: async (words: AsyncIterable<string>) => {
    messages.push((await Array.fromAsync(words)).join(''))
  } }
  await say(thread as never, (async function* () { yield* pieces })(), { messageLength: length }, SITE)
  return messages
}

describe('say', () => {
  test.each([
    [['3.']], [['# ', '#######']], [['> ', '- ']],
  ])('says what is nothing but marks (%j) as text', async (marks) => {
    expect(await postWords(marks)).toEqual([`\u200B${marks.join('')}`])
  })

  test('lets code go on as code in the next message', async () => {
    const lines = Array.from({ length: 6 }, (_, index) => `https://a.example/${index}`)
    const messages = await postWords([`\`\`\`\n${lines.join('\n')}\n\`\`\``], 90)
    expect(messages.length).toBeGreaterThan(1)
    for (const message of messages) expect(message).toMatch(/^```\n[^`]+\n```$/)
    expect(messages.join('\n').replaceAll(/```\n?/g, '').trim().split('\n').filter(Boolean)).toEqual(lines)
  })

  test('splits no character in two', async () => {
    const messages = await postWords(['a', '\u{1F4E8}'.repeat(60)], 40)
    expect(messages.every(message => message.isWellFormed() && message.length <= 40)).toBe(true)
    expect(messages.join('')).toBe(`a${'\u{1F4E8}'.repeat(60)}`)
  })

  test('begins no other message when the platform stops taking one before its end', async () => {
    let messages = 0
    const thread = { post: async (words: AsyncIterable<string>) => {
      if (++messages > 9) throw new Error('It never ends.')
      for await (const _ of words) break
    } }
    const words = (async function* () { yield* ['a ', 'b ', 'c '] })()
    await expect(say(thread as never, words, { messageLength: 100 }, SITE)).rejects.toThrow('stopped accepting')
    expect(messages).toBe(1)
  })

  test.each([
    ['❤️', '1️⃣', '葛\u{E0100}', '👩‍🚀', 'ภ\u200Bา', 'a\u00ADb', '→\uFE0E'],
    ['a\uFE0F', '\u3164\u034F', '\u00AD', 'é\u180B', 'exam\u200Dple', 'x\u200C\u200Cy', 'x\u200C'],
  ])('shows the same, a character at a time, of %s and others', async (...texts) => {
    for (const text of texts) expect(await postWords([...text])).toEqual(await postWords([text]))
  })

  test('hands the words on as they come', async () => {
    const receivedWords: string[] = []
    const pieces = ['a ', 'b ', 'c ']
    const thread = { post: async (words: AsyncIterable<string>) => {
      for await (const word of words) receivedWords.push(`${word}${pieces.length}`)
    } }
    await say(
      thread as never, (async function* () { while (pieces.length > 0) yield pieces.shift()! })(),
      { messageLength: 100 }, SITE,
    )
    expect(receivedWords).toEqual(['a 2', 'b 1', 'c 0'])
  })

  test.each([1, 3, 7, 1000])('splits what is too long at lines and words, in pieces of %i characters, and loses nothing', async (size) => {
    const text = `${'first line words! '.repeat(2).trim()}\n${'second '.repeat(12).trim()}\n${'x'.repeat(100)}`
    const messages = await postWords(text.match(new RegExp(`[^]{1,${size}}`, 'g'))!)
    expect(messages.length).toBeGreaterThan(4)
    expect(Math.max(...messages.map(message => message.length))).toBeLessThanOrEqual(40)
    expect(messages.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    expect(messages[0]).toBe('first line words! first line words!')
  })

  test('defuses mentions of everybody, wherever the pieces end, and nothing else', async () => {
    const text = 'a <!channel> b <!subteam^S1> c <users/all> d <@U1> e <b> 1 < 2 <'
    for (const size of [1, 2, 5, 100]) {
      expect(await postWords(text.match(new RegExp(`[^]{1,${size}}`, 'g'))!, 1000)).toEqual([
        'a <\u200B!channel> b <\u200B!subteam^S1> c <\u200Busers/all> d <@U1> e <b> 1 < 2 <',
      ])
    }
  })

  test('lets go of the words when the platform refuses them', async () => {
    let isEnded = false
    const words = (async function* () {
      try {
        for (;;) yield 'word '
      }
      finally {
        isEnded = true
      }
    })()
    const thread = { post: async () => { throw new Error('channel_not_found') } }
    await expect(say(thread as never, words, { messageLength: 100 }, SITE)).rejects.toThrow('channel_not_found')
    expect(isEnded).toBe(true)
  })
})

const whatsApp = new WhatsAppAdapter({
  accessToken: 'token', appSecret: 'secret', verifyToken: 'token', phoneNumberId: '1',
} as never) as unknown as { formatConverter: DiscordFormatConverter }

/** Converters of markdown for each platform; Slack reads markdown itself. */
const CONVERTED: Readonly<Record<string, (markdown: string) => string>> = {
  slack: markdown => markdown,
  discord: markdown => new DiscordFormatConverter().renderPostable({ markdown }),
  gchat: markdown => new GoogleChatFormatConverter().renderPostable({ markdown }),
  teams: markdown => new TeamsFormatConverter().renderPostable({ markdown }),
  telegram: markdown => new TelegramFormatConverter().renderPostable({ markdown }),
  whatsapp: markdown => withoutMarkdown(whatsApp.formatConverter.renderPostable({ markdown })),
}

const beginnings = fc.array(
  fc.constantFrom('- ', '* ', '+', '12. ', '3)', '# ', '###', '> ', '>', '\n', ' ', 'Ada', '.'), { maxLength: 12 },
)
/** Text that fills one message. */
const prefixes = fc.constantFrom('', `${'x'.repeat(52)}\n`)

test.each(
  Object.entries(CONVERTED),
)('%s is given no message before there is something to see, however it begins', async (_, convert) => {
  await fc.assert(fc.asyncProperty(prefixes, beginnings, async (prefix, pieces) => {
    const shownTexts: string[] = []
    const thread = { post: async (words: AsyncIterable<string>) => {
      let text = ''
      for await (const word of words) shownTexts.push(convert(text += word))
    } }
    await say(thread as never, (async function* () { yield* [prefix, ...pieces] })(), { messageLength: 60 }, SITE)
    expect(shownTexts.length > 0).toBe((prefix + pieces.join('')).trim() !== '')
    expect(shownTexts.filter(text => !/[^\s*_~\\]/.test(text))).toEqual([])
  }))
})

const LIVE = [
  'https://evil.example/?d=ada', '[bank](https://evil.example)', '![a](https://3232235777/p)', 'www.evil.example',
  '<https://evil.example|bank>', '<!channel>', '<users/all>', 'mailto:ada@evil.example?body=x',
  '<https:/3232235777/?d=ada>', '<tg:resolve?domain=evil>', '<a href=https:3232235777>bank</a>',
  '<a href=tg:evil>bank</a>',
]

const NAMES: Readonly<Record<string, string>> = {
  '<': 'lt', '>': 'gt', ':': 'colon', '.': 'period', '/': 'sol', '!': 'excl', '[': 'lsqb', ']': 'rsqb', '(': 'lpar',
}

/** Ways to write one character so that it is shown literally. */
const spelled = (sign: string) => fc.constantFrom(
  sign, sign, ...(/[a-z]/.test(sign) ? [`*${sign}*`] : [`\\${sign}`]), `&#${sign.charCodeAt(0)};`,
  `&#x${sign.charCodeAt(0).toString(16)};`, ...NAMES[sign] ? [`&${NAMES[sign]};`] : [],
)

const hostile = fc.constantFrom(...LIVE).chain(text => (
  fc.tuple(...[...text].map(spelled)).map(signs => signs.join(''))
))

/** Text outside code, with references replaced by the characters that a platform may read. */
const outsideCode = (text: string) => text.replace(/`[^`]*`/g, '`').replace(/\\([!-/:-@[-`{-~])/g, '$1')
  .replace(/&#x([\da-f]+);/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  .replace(/&(\w+);/g, (reference, name: string) => (
    Object.keys(NAMES).find(sign => NAMES[sign] === name) ?? reference
  ))

test.each(outside)('$label gets no live address or mention, however spelled', async ({ key }) => {
  await fc.assert(fc.asyncProperty(hostile, async (text) => {
    const [message] = await postWords([`Look: ${text} now`], 2000)
    expect(outsideCode(CONVERTED[key]!(message!))).not.toMatch(/:\/\/|evil\.example|\]\(|<!|<users\/all>|mailto:|<a\s|https:/)
  }))
})
