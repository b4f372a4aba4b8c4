import type { Root } from 'chat'

interface Node { type: string, value?: string, children?: readonly Node[] }

interface Converter { fromAst: (ast: Root) => string }

/**
 * The converter, which marks every line of a quote. The SDK's mark its first line alone, and people would take what
 * else a form says for the bot's own words.
 */
export function withWholeQuotes(converter: Converter): void {
  const fromAst = converter.fromAst.bind(converter)
  const written = (node: Node): Node => {
    const children = node.children?.map(written)
    if (node.type !== 'blockquote') return { ...node, ...children && { children } }
    const lines = fromAst({ type: 'root', children } as Root).split('\n')
    return { type: 'html', value: lines.map(line => `> ${line}`.trimEnd()).join('\n') }
  }
  converter.fromAst = ast => fromAst(written(ast) as Root)
}
