import { plain, type Row } from './report.ts'

/**
 * The table of what releases cost, by their ratios, with this one in it: in place of what it has of this release, after
 * all others. A figure that is not measured any more keeps what it was.
 *
 * @param before the table so far; '' for none
 */
export function withRelease(before: string, release: string, rows: readonly Row[]): string {
  const [head = [], , ...lines] = before.split('\n').filter(Boolean).map(
    line => line.split('|').slice(1, -1).map(cell => cell.trim()),
  )
  const [, ...names] = head
  const known = new Map(lines.map(([figure = '', ...ratios]) => [
    figure, new Map(names.map((name, index) => [name, ratios[index] ?? ''])),
  ]))
  for (const { figure, ratio } of rows) {
    if (ratio) known.set(figure, (known.get(figure) ?? new Map<string, string>()).set(release, plain(ratio.median)))
  }
  const releases = [...names.filter(name => name !== release), release]
  return [
    ['figure', ...releases], ['---', ...releases.map(() => '---:')],
    ...[...known].map(([figure, ratios]) => [figure, ...releases.map(name => ratios.get(name) ?? '')]),
  ].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
