import type { Thread } from 'chat'
import type { Platform } from '../../platforms/traits'
import { beginning, visible } from '../../../shared/utils/text'
import { openCode, withPlainLinks } from './links'

/** A whole channel's mention in text, escaped or not: Slack's `<!channel>` and groups, Google Chat's `<users/all>`. */
const MASS_MENTION = /<(?=\\?!|users\\?\/all\\?>)/g

/** From these shares of a message's length on, a new one begins at the end of a line, of a word, anywhere. */
const [LINE, WORD] = [0.85, 0.95]

/** What begins lists, headings and quotes: nothing to see while there is nothing behind it, and then no message. */
const MARKS = /^\s*(?:>\s*|(?:[-*+]|\d{1,9}[.)]|#+)(?:\s+|$))*$/

/** Of a message, in characters, where the platform says nothing. */
const MESSAGE_LENGTH = 3500

/**
 * Says what comes in as it comes, in one message or, when it is longer than a message may be, in several.
 *
 * A message is begun only when there is something to say, because an empty one would stay for ever.
 *
 * @param site origin of our own pages, the only ones that are linked; null when nobody said where they are
 * @throws Error when the platform stops taking a message before its end: what it took of it nobody knows
 */
export async function say(
  thread: Pick<Thread, 'post'>, words: AsyncIterable<string>,
  { messageLength: length = MESSAGE_LENGTH }: Pick<Platform, 'messageLength'>,
  site: string | null,
): Promise<void> {
  const source = withoutMassMentions(withPlainLinks(seen(words), site))[Symbol.asyncIterator]()
  let rest = ''
  const fill = async () => {
    const { done, value } = await source.next()
    rest += done ? '' : value
    return !done
  }
  let isTaken = false
  async function* message(): AsyncGenerator<string> {
    isTaken = false
    let said = ''
    do {
      const end = endOf(rest, length - said.length, length)
      if (end === null) {
        said += rest
        yield rest
        rest = ''
        continue
      }
      const [head, tail] = [rest.slice(0, end), rest.slice(end).trimStart()]
      // Code goes on as code in the next message.
      const code = openCode(said + head) ?? ''
      const line = code.length > 2 ? '\n' : ''
      rest = code + (code && line) + tail
      if (head + code) yield head + (code && line) + code
      break
    } while (await fill())
    isTaken = true
  }
  try {
    for (;;) {
      while (MARKS.test(rest)) if (!await fill()) break
      if (!rest.trim()) return
      // `3.` may be all that there is to say.
      rest = `${MARKS.test(rest) ? '\u200B' : ''}${rest.trimStart()}`
      await thread.post(message())
      if (!isTaken) throw new Error('The platform has stopped taking the answer.')
    }
  }
  finally {
    await source.return?.(undefined)
  }
}

/** Where this text has to end because the message is full, or null while it is not. */
function endOf(text: string, room: number, length: number): number | null {
  const used = length - room
  for (const [share, pattern] of [[LINE, /\n/g], [WORD, /\s/g]] as const) {
    for (const { index } of text.matchAll(pattern)) if (used + index >= length * share && index <= room) return index
  }
  if (text.length <= room) return null
  return beginning(text, Math.max(room, 0)).length
}

/**
 * A model may repeat what a form says. What is beside a character says whether it writes something, and may come in
 * another piece: of what was handed on the last one is remembered, and joiners wait for what follows them.
 */
async function* seen(words: AsyncIterable<string>): AsyncGenerator<string> {
  let [before, rest] = ['', '']
  const handOn = (length: number) => {
    const text = before + rest.slice(0, length)
    const shown = visible(text).slice(visible(before).length)
    before = [...text].at(-1) ?? ''
    rest = rest.slice(length)
    return shown
  }
  // Joiners at the end: a model that says nothing else is not read anew with each of them.
  let joiners = 0
  for await (const word of words) {
    let length = word.length
    while (/[\u200C\u200D]/.test(word.charAt(length - 1))) length--
    joiners = word.length - length + (length === 0 ? joiners : 0)
    rest += word
    yield handOn(rest.length - joiners)
  }
  yield handOn(rest.length)
}

/** What a model says pings nobody in bulk: it may repeat what a form says. @param words pieces that cut no word */
async function* withoutMassMentions(words: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of words) yield piece.replace(MASS_MENTION, '<\u200B')
}
