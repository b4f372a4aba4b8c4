/** Discord's markdown rules, in order of precedence; each matches at the start of the remaining text. */
const RULES: readonly [effect: string | null, pattern: RegExp, lineStartOnly?: boolean][] = [
  ['heading', /^ *#{1,3} +[^\n]/, true],
  ['subtext', /^ *-# +[^\n]/, true],
  ['quote', /^ *>>> |^ *> /, true],
  ['list', /^[ \t]*(?:[*-]|\d+\.) +[^\n]/, true],
  ['code', /^```[\s\S]+?```|^`+[^`]+`+/],
  [null, /^\\[^0-9A-Za-z\s]/],
  ['timestamp', /^<t:-?\d+(?::[tTdDfFR])?>/],
  ['autolink', /^<(?:[^: >]+:\/?[^ >]+|[^@\s>]+@[^\s>]+)>/],
  ['url', /^(?:https?|steam):\/\/[^\s<]+[^<.,:;"'\]\s]/],
  ['masked link', /^\[(?:\\.|[^\]\\])*\]\([^)]*\)/],
  ['mention', /^<(?:@[!&]?|#|id:|\/)[^>]*>|^@(?:everyone|here)/],
  ['custom emoji', /^<a?:\w+:\d+>/],
  ['emoji', /^:[^\s:]+?(?:::skin-tone-\d)?:/],
  ['strong', /^\*\*[\s\S]+?\*\*/],
  ['underline', /^__[\s\S]+?__/],
  ['emphasis', /^_[^_\s][\s\S]*?_|^\*[^*\s][\s\S]*?\*/],
  ['strike', /^~~[\s\S]+?~~/],
  ['spoiler', /^\|\|[\s\S]+?\|\|/],
]

/** Returns the text that people read, and the names of the effects that the markdown would have. */
export function shownText(markdown: string): { text: string, effects: string[] } {
  const effects: string[] = []
  let text = ''
  for (let at = 0; at < markdown.length;) {
    const rest = markdown.slice(at)
    const lineStart = at === 0 || /[\r\n]/.test(markdown.charAt(at - 1))
    const rule = RULES.find(([, pattern, lineStartOnly]) => (!lineStartOnly || lineStart) && pattern.test(rest))
    const match = rule?.[1].exec(rest)?.[0]
    if (rule?.[0]) effects.push(rule[0])
    text += match ? rule![0] ? match : match.slice(1) : markdown.charAt(at)
    at += match ? match.length : 1
  }
  return { text, effects }
}

/** Returns the text without escapes. */
export const unescapeMarkdown = (markdown: string): string => markdown.replace(/\\([^0-9A-Za-z\s])/g, '$1')
