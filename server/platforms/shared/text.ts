import type { Root } from 'chat'
import { english } from '../../../shared/texts'
import { cut } from '../../../shared/utils/text'

/** Field name within `max`; an invisible one becomes "(no name)". */
export function fieldName(label: string, max: number, texts = english): string {
  return cut(label.trim() ? label : texts('card.field.noName'), max)
}

/** Removes control characters, which few platforms keep; line ends become `\n`, as platforms send them. */
export function printable(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
}

export function chunk<T>(items: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size)
  return starts.map(start => items.slice(start, start + size))
}

interface Node { type: string, value?: string, children?: readonly Node[] }

interface Converter { fromAst: (ast: Root) => string }

/**
 * Makes the converter mark every line of a quote. The SDK's converters mark only the first line, and people would take
 * the other lines, with a form's text, for the bot's own words.
 */
export function withWholeQuotes(converter: Converter): void {
  const fromAst = converter.fromAst.bind(converter)
  const markQuotes = (node: Node): Node => {
    const children = node.children?.map(markQuotes)
    if (node.type !== 'blockquote') return { ...node, ...children && { children } }
    const lines = fromAst({ type: 'root', children } as Root).split('\n')
    return { type: 'html', value: lines.map(line => `> ${line}`.trimEnd()).join('\n') }
  }
  converter.fromAst = ast => fromAst(markQuotes(ast) as Root)
}
