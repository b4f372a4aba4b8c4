import { markdown, plain, type Row } from './report.ts'

/**
 * Returns the table of the ratios of all releases, with this release's row replaced, or added at the end.
 * Figures that are no longer measured keep their value.
 *
 * @param before the table so far; '' if there is none
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
  const figures = [...known].map(([figure, ratios]) => [figure, ...releases.map(name => ratios.get(name) ?? '')])
  return markdown(['figure', ...releases], figures)
}
