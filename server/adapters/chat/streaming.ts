import type { Thread } from 'chat'
import type { Platform } from '../../platforms/traits'
import { beginning, visible } from '../../../shared/utils/text'
import { openCode, withPlainLinks } from './links'

/**
 * Matches a mention of a whole channel, escaped or not: Slack's `<!channel>` and groups, Google Chat's `<users/all>`.
 */
const MASS_MENTION = /<(?=\\?!|users\\?\/all\\?>)/g

/** Share of the max length from which a message ends at the next line break, or at the next space. */
const [LINE_SHARE, WORD_SHARE] = [0.85, 0.95]

/** Matches marks of lists, headings and quotes without text. Alone they would make an empty message. */
const MARKS = /^\s*(?:>\s*|(?:[-*+]|\d{1,9}[.)]|#+)(?:\s+|$))*$/

/** Max length of a message if the platform sets no limit, characters. */
const MESSAGE_LENGTH = 3500

/**
 * Posts words as they arrive, in one message, or in several if they are too long for one.
 *
 * A message begins only when there is text to show, because an empty message would never be removed.
 *
 * @param site origin of our own pages, the only ones that are linked; null if it is not configured
 * @throws Error if the platform stops reading a message before its end: nobody knows how much of it was posted
 */
export async function say(
  thread: Pick<Thread, 'post'>, words: AsyncIterable<string>,
  { messageLength: length = MESSAGE_LENGTH }: Pick<Platform, 'messageLength'>,
  site: string | null,
): Promise<void> {
  const source = breakMassMentions(withPlainLinks(revealHidden(words), site))[Symbol.asyncIterator]()
  let unsentText = ''
  const fill = async () => {
    const { done, value } = await source.next()
    unsentText += done ? '' : value
    return !done
  }
  let isTaken = false
  async function* writeMessage(): AsyncGenerator<string> {
    isTaken = false
    let messageText = ''
    do {
      const end = endOf(unsentText, length - messageText.length, length)
      if (end === null) {
        messageText += unsentText
        yield unsentText
        unsentText = ''
        continue
      }
      const [head, tail] = [unsentText.slice(0, end), unsentText.slice(end).trimStart()]
      // Code continues as code in the next message.
      const code = openCode(messageText + head) ?? ''
      const lineEnd = code.length > 2 ? '\n' : ''
      unsentText = code + (code && lineEnd) + tail
      if (head + code) yield head + (code && lineEnd) + code
      break
    } while (await fill())
    isTaken = true
  }
  try {
    for (;;) {
      while (MARKS.test(unsentText)) if (!await fill()) break
      if (!unsentText.trim()) return
      // The whole answer may be a mark such as `3.`. A zero-width space before it makes it ordinary text.
      unsentText = `${MARKS.test(unsentText) ? '\u200B' : ''}${unsentText.trimStart()}`
      await thread.post(writeMessage())
      if (!isTaken) throw new Error('The platform stopped accepting the answer.')
    }
  }
  finally {
    await source.return?.(undefined)
  }
}

/** Returns the position at which this text must end because the message is full; null if there is room. */
function endOf(text: string, remaining: number, length: number): number | null {
  const usedLength = length - remaining
  for (const [share, pattern] of [[LINE_SHARE, /\n/g], [WORD_SHARE, /\s/g]] as const) {
    for (const { index } of text.matchAll(pattern)) {
      if (usedLength + index >= length * share && index <= remaining) return index
    }
  }
  if (text.length <= remaining) return null
  return beginning(text, Math.max(remaining, 0)).length
}

/**
 * Makes hidden characters visible, because a model may repeat text of a form. A character is hidden or not depending on
 * its neighbours, which may be in another piece. So this remembers the last character passed on, and holds joiners back
 * until the next character arrives.
 */
async function* revealHidden(words: AsyncIterable<string>): AsyncGenerator<string> {
  let [lastCharacter, waitingText] = ['', '']
  const passOn = (length: number) => {
    const text = lastCharacter + waitingText.slice(0, length)
    const visibleText = visible(text).slice(visible(lastCharacter).length)
    lastCharacter = [...text].at(-1) ?? ''
    waitingText = waitingText.slice(length)
    return visibleText
  }
  // Number of joiners at the end. With this count, the text is not read again for each joiner that a model repeats.
  let joiners = 0
  for await (const word of words) {
    let length = word.length
    while (/[\u200C\u200D]/.test(word.charAt(length - 1))) length--
    joiners = word.length - length + (length === 0 ? joiners : 0)
    waitingText += word
    yield passOn(waitingText.length - joiners)
  }
  yield passOn(waitingText.length)
}

/**
 * Breaks up mentions of whole channels, which a model may repeat from a form.
 *
 * @param words pieces that do not split a word
 */
async function* breakMassMentions(words: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of words) yield piece.replace(MASS_MENTION, '<\u200B')
}
