/** Text as Telegram parses it from MarkdownV2 (https://core.telegram.org/bots/api#markdownv2-style) */
export interface TelegramText {
  text: string
  /** For each character, true if it is inside code, where Telegram detects no mentions or links */
  inCode: boolean[]
}

const SPECIAL = /[_*[\]()~`>#+\-=|{}.!]/

/** @throws Error in Telegram's words, if an entity does not end or a character is not escaped */
export function readMarkdownV2(source: string): TelegramText {
  const read: TelegramText = { text: '', inCode: [] }
  let open: '' | '*' | '`' = ''
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!
    const next = source[at + 1] ?? ''
    if (character === '\\' && next >= '!' && next <= '~') add(source[++at]!)
    else if (character === '`' && open !== '*') open = open ? '' : '`'
    else if (open === '`') add(character)
    else if (character === '*') open = open ? '' : '*'
    else if (character === '[') at = readLink(at)
    else if (SPECIAL.test(character)) throw new Error(`Bad Request: can't parse entities: Character '${character}' is reserved and must be escaped with the preceding '\\'`)
    else add(character)
  }
  if (open) throw new Error('Bad Request: can\'t parse entities: Can\'t find end of the entity')
  return read

  function add(character: string): void {
    read.text += character
    read.inCode.push(open === '`')
  }

  function readLink(at: number): number {
    const [whole = '', label = ''] = /^\[((?:\\.|[^\]\\])*)\]\((?:\\.|[^)\\])*\)/.exec(source.slice(at)) ?? []
    if (!whole) throw new Error('Bad Request: can\'t parse entities: Can\'t find end of a URL')
    for (const character of label.replace(/\\(.)/g, '$1')) add(character)
    return at + whole.length - 1
  }
}

const FOUND = /(?<![\p{L}\p{N}_])@[A-Za-z]\w{2,}|(?<![\p{L}\p{N}_])[#$][\p{L}\p{N}_]+|(?<![\p{L}\p{N}/<>])\/[A-Za-z]\w*|(?<![a-z])[a-z]+:\/\/\S+|(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}\S*/gu

/** Returns the mentions, tags, commands, links and addresses that Telegram would detect by itself. */
export function foundBy({ text, inCode }: TelegramText): string[] {
  return [...text.matchAll(FOUND)].filter(({ index }) => !inCode[index]).map(([found]) => found)
}
