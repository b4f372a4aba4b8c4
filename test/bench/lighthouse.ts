import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { closedLoop } from './load.ts'
import { spread, type Spread } from './report.ts'
import { FORM_REQUEST, startSandbox } from './target.ts'
import { PASSWORD, visit, WITH_PASSWORD } from '../support/visitor.ts'

/** Package downloaded when needed: with its dependencies it is larger than all other development dependencies. */
const LIGHTHOUSE = 'lighthouse@13.5.0'
const run = promisify(execFile)

const DEVICES = { phone: [], desktop: ['--preset=desktop'] } as const
/** Minimum scores */
const GOALS = { 'performance': 95, 'accessibility': 100, 'best-practices': 100 } as const
const CATEGORIES = Object.keys(GOALS) as (keyof typeof GOALS)[]
const METRICS = {
  'first-contentful-paint': 'first paint, s', 'largest-contentful-paint': 'largest paint, s',
  'total-blocking-time': 'blocked, s', 'cumulative-layout-shift': 'layout shift',
} as const

/** The parts of Lighthouse's report that we use */
interface Report {
  audits: Record<string, { score: number | null, numericValue?: number, scoreDisplayMode: string }>
  categories: Record<keyof typeof GOALS, { score: number, auditRefs: { id: string, weight: number }[] }>
  runtimeError?: { message: string }
}

interface Judged {
  page: string
  device: keyof typeof DEVICES
  scores: Record<keyof typeof GOALS, Spread>
  metrics: number[]
  /** Audits that lowered the score */
  missed: string[]
}

/** Returns Lighthouse's results for every page, on a phone and on a desktop. */
export async function lighthouse(redisUrl: string, rounds: number): Promise<{ table: string, figures: Judged[] }> {
  const target = await startSandbox(redisUrl, WITH_PASSWORD)
  try {
    await closedLoop(target.port, 4, () => FORM_REQUEST, { requests: 70 })
    const url = `http://127.0.0.1:${target.port}`
    const ada = visit({ url })
    await ada.signIn(PASSWORD)
    const { rows } = await (await ada.get('/api/submissions')).json() as { rows: { id: string }[] }
    const pages = {
      'list': '/', 'submission': `/submissions/${rows[0]!.id}`, 'status': '/status', 'setup': '/setup',
      'sandbox': '/sandbox', 'sign-in': '/sign-in',
    }
    const cookie = [...ada.cookies].map(pair => pair.join('=')).join('; ')
    const figures: Judged[] = []
    for (const [page, path] of Object.entries(pages)) for (const device of ['phone', 'desktop'] as const) {
      const options = [...DEVICES[device], `--extra-headers=${JSON.stringify(page === 'sign-in' ? {} : { cookie })}`]
      const reports: Report[] = []
      for (let round = 0; round < rounds; round++) reports.push(await judge(url + path, options))
      const judged = { page, device, ...summary(reports) }
      figures.push(judged)
      console.error(`${page}, ${device}: ${CATEGORIES.map(name => judged.scores[name].median).join(', ')}`)
    }
    return { table: draw(figures), figures }
  }
  finally {
    await target.stop()
  }
}

async function judge(url: string, options: readonly string[]): Promise<Report> {
  const { stdout } = await run('npx', [
    '--yes', LIGHTHOUSE, url, ...options, '--quiet', '--output=json', `--only-categories=${CATEGORIES.join()}`,
    '--chrome-flags=--headless --no-sandbox --disable-gpu',
  ], {
    maxBuffer: 100_000_000, env: { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium' },
  })
  const report = JSON.parse(stdout) as Report
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`)
  return report
}

function summary(reports: readonly Report[]): Pick<Judged, 'scores' | 'metrics' | 'missed'> {
  const scores = CATEGORIES.map(name => [name, spread(reports.map(({ categories }) => (
    Math.round(categories[name].score * 100)
  )))] as const)
  const missed = reports.flatMap(({ audits, categories }) => CATEGORIES.flatMap(name => (
    categories[name].auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]!.score ?? 1) < 0.9)
  )).map(({ id }) => id))
  const valueOf = (metric: string) => spread(reports.map(({ audits }) => audits[metric]!.numericValue!)).median
  return {
    scores: Object.fromEntries(scores) as Judged['scores'], missed: [...new Set(missed)],
    metrics: Object.keys(METRICS).map(metric => valueOf(metric) / (metric === 'cumulative-layout-shift' ? 1 : 1000)),
  }
}

function draw(figures: readonly Judged[]): string {
  const head = ['page', '', ...CATEGORIES.map(name => `${name} (≥ ${GOALS[name]})`), ...Object.values(METRICS), 'goals']
  const lines = figures.map(({ page, device, scores, metrics, missed }) => [
    page, device, ...CATEGORIES.map(name => shown(scores[name])), ...metrics.map(value => value.toFixed(2)),
    CATEGORIES.every(name => scores[name].median >= GOALS[name]) ? 'reached' : `MISSED: ${missed.join(', ')}`,
  ])
  const rule = head.map((_, column) => column < 2 || column === head.length - 1 ? '---' : '---:')
  return [head, rule, ...lines].map(line => `| ${line.join(' | ')} |`).join('\n')
}

function shown({ median, min, max }: Spread): string {
  return min === max ? String(median) : `${median} (${min}–${max})`
}
