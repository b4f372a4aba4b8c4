import type { Figures } from './round.ts'
import type { TargetName } from './target.ts'

export interface Spread {
  median: number
  min: number
  max: number
}

export type Rounds = Record<TargetName, Figures[]>

/** A figure of the service, the target to compare it with, and the required relation */
interface Goal {
  figure: keyof Figures
  against: Exclude<TargetName, 'service'>
  atLeast?: number
  atMost?: number
}

const GOALS: readonly Goal[] = [
  { figure: 'one sender per s', against: 'peer', atLeast: 1.1 },
  { figure: 'one sender p50 ms', against: 'peer', atMost: 0.9 },
  { figure: 'intake per s', against: 'peer', atLeast: 2.3 },
  { figure: 'intake p50 ms', against: 'peer', atMost: 0.6 },
  { figure: 'intake p99 ms', against: 'peer', atMost: 0.6 },
  { figure: 'CPU s per 1,000 submissions', against: 'peer', atMost: 0.45 },
  { figure: 'intake per s, Slack 80 ms', against: 'peer', atLeast: 1.5 },
  { figure: 'intake p99 ms, Slack 80 ms', against: 'peer', atMost: 0.6 },
  { figure: 'burst per s', against: 'peer', atLeast: 3 },
  { figure: 'burst p99 ms', against: 'peer', atMost: 0.3 },
  { figure: 'first click ack ms', against: 'peer', atMost: 1 },
  { figure: 'first click card updated ms', against: 'peer', atMost: 1 },
  { figure: 'ack p50 ms', against: 'bolt', atMost: 0.9 },
  { figure: 'ack p99 ms', against: 'bolt', atMost: 1 },
  { figure: 'card updated p50 ms', against: 'bolt', atMost: 1 },
  { figure: 'CPU s per 1,000 forwards', against: 'peer', atMost: 0.65 },
  { figure: 'cold start ms', against: 'peer', atMost: 0.35 },
  { figure: 'RSS idle MiB', against: 'peer', atMost: 0.8 },
  { figure: 'RSS after submissions MiB', against: 'peer', atMost: 0.6 },
]

export interface Row {
  figure: string
  /** Cell texts by column */
  cells: Partial<Record<TargetName, string>>
  /** Ratio of the service to the compared target in each round */
  ratio?: Spread
  goal?: string
  reached?: boolean
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)]!, min: sorted[0]!, max: sorted.at(-1)! }
}

export function goalRows(rounds: Rounds): Row[] {
  return GOALS.map(({ figure, against, atLeast, atMost }) => {
    const values = (name: TargetName) => rounds[name].flatMap(figures => figures[figure] ?? [])
    const ratio = spread(values('service').map((value, index) => value / values(against)[index]!))
    const measured = (Object.keys(rounds) as TargetName[]).filter(name => values(name).length > 0)
    return {
      figure, ratio, cells: Object.fromEntries(measured.map(name => [name, show(spread(values(name)))])),
      goal: atLeast ? `≥ ${atLeast} × ${against}` : `≤ ${atMost} × ${against}`,
      reached: atLeast ? ratio.median >= atLeast : ratio.median <= atMost!,
    }
  })
}

/** Renders a Markdown table; the first `left` columns contain text. */
export function markdown(head: readonly string[], lines: readonly (readonly string[])[], left = 1): string {
  const rule = head.map((_, column) => column < left ? '---' : '---:')
  return [head, rule, ...lines].map(line => `| ${line.join(' | ')} |`).join('\n')
}

/** Renders rows as a Markdown table, which is also readable in a terminal. */
export function table(rows: readonly Row[]): string {
  const head = ['figure', 'service', 'peer', 'bolt', 'floor', 'ratio (min–max)', 'goal', '']
  const lines = rows.map(({ figure, cells, ratio, goal, reached }) => [
    figure, cells.service, cells.peer, cells.bolt, cells.floor, ratio && show(ratio), goal,
    reached === undefined ? '' : reached ? 'reached' : 'MISSED',
  ].map(cell => cell ?? ''))
  const widths = head.map((name, column) => Math.max(name.length, ...lines.map(line => line[column]!.length)))
  const draw = (line: readonly string[]) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [draw(head), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(draw)].join('\n')
}

export function show({ median, min, max }: Spread): string {
  return min === max ? plain(median) : `${plain(median)} (${plain(min)}–${plain(max)})`
}

export function plain(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}
