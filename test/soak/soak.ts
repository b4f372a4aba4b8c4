import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { sqlitePath } from '../../server/config/store-url'
import { storeRules, isOver } from '../../server/domain/lifecycle/record'
import type { SubmissionStore } from '../../server/ports/store'
import { connectRedis } from '../support/redis-client'
import { deploy, sendForm, type Deployment } from '../support/deployment'
import { blockActions, interact, viewSubmission } from '../support/slack'
import { readerOf } from '../support/sqlite'
import { until } from '../support/until'
import { audit, type Sent } from './audit'
import { startVendors, type Card, type Vendors } from './vendors'

export interface SoakResult {
  sent: number
  forwarded: number
  spam: number
  open: number
  /** Vendor calls that failed on purpose */
  failedCalls: number
  calls: number
  /** Cards beyond one per submission, each after a lost answer of Slack */
  secondCards: number
  /** Slowest and median answer to a form, ms */
  slowestMs: number
  medianMs: number
  /** Median memory of the server in the second and the last third of the run, MiB */
  memoryMiB: [number, number]
  /** Losses, repetitions and unfinished work; empty if all is well. */
  problems: string[]
}

const PER_SECOND = 20
const FAILING_SHARE = 0.1

/** Sends forms, decides half of them by clicks, makes every vendor fail a tenth of its calls, and audits the result. */
export async function soak(seconds: number): Promise<SoakResult> {
  const vendors = await startVendors(FAILING_SHARE)
  const { slack, resend, endpoint } = vendors
  const d = await deploy({
    SLACK_API_URL: `${slack.url}/api/`, RESEND_BASE_URL: resend.url, FORWARD_ENDPOINT: endpoint.url,
  })
  const store = await openStore(d)
  try {
    const sent: Sent[] = []
    const memory: number[] = []
    let sending = true
    await Promise.all([
      sendAll(d, seconds, sent).finally(() => { sending = false }),
      decideHalf(d, vendors, sent, () => sending),
      sample(memory, () => sending),
    ])
    const left = sent.filter(({ action }) => !action).length
    await until('everything done', async () => await finished(store, sent) && await idle(store), 120_000)
    await d.server.drain()
    const times = sent.map(({ ms }) => ms).sort((a, b) => a - b)
    const by = (action: string) => sent.filter(form => form.action === action).length
    return {
      sent: sent.length, forwarded: by('forward') + by('edit'), spam: by('spam'), open: left,
      failedCalls: vendors.failedCalls(),
      calls: slack.requests.length + resend.requests.length + endpoint.requests.length,
      slowestMs: times.at(-1)!, medianMs: median(times),
      memoryMiB: [median(third(memory, 1)), median(third(memory, 2))],
      ...await audit(vendors, store, sent),
    }
  }
  finally {
    await store.close()
    await d.close()
    await vendors.close()
  }
}

/** Opens the store of the deployment, beside its server. */
async function openStore({ env: { STORE_URL } }: Deployment): Promise<SubmissionStore> {
  const file = sqlitePath(STORE_URL!)
  return file === null
    ? new RedisStore(await connectRedis(STORE_URL!), storeRules)
    : new SqliteStore(readerOf(file), storeRules)
}

async function sendAll(d: Deployment, seconds: number, sent: Sent[]): Promise<void> {
  const started = Date.now()
  const answers: Promise<void>[] = []
  for (let index = 0; index < seconds * PER_SECOND; index++) {
    await until('the next form\'s time', () => Date.now() >= started + index * 1000 / PER_SECOND)
    answers.push(send(d, index, sent))
  }
  await Promise.all(answers)
}

async function send(d: Deployment, index: number, sent: Sent[]): Promise<void> {
  const start = performance.now()
  const response = await sendForm(
    d.server, { name: `Ada ${index}`, email: 'ada@example.com', message: 'Please quote two engines.\n'.repeat(10) },
  )
  const { submissionId } = await response.json() as { submissionId?: string }
  sent.push({ index, id: submissionId ?? null, status: response.status, ms: Math.round(performance.now() - start) })
}

/** Clicks on every second card as it appears: three forwards and a spam for one edit; some reviewers click twice. */
async function decideHalf(
  d: Deployment, vendors: Vendors, sent: readonly Sent[], sending: () => boolean,
): Promise<void> {
  const clicks: Promise<void>[] = []
  const wanted = () => sent.filter(({ index, id, action }) => index % 2 === 0 && id && !action)
  while (sending() || wanted().length > 0) {
    for (const form of wanted()) {
      const card = vendors.firstCards.get(form.id!)
      if (!card) continue
      form.action = (['forward', 'spam', 'forward', 'edit', 'forward'] as const)[form.index / 2 % 5]!
      clicks.push(
        form.action === 'edit' ? edit(d, vendors, card) : click(d, card, form.action, form.index % 20 === 0 ? 2 : 1),
      )
    }
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  await Promise.all(clicks)
}

const message = ({ ts, blocks }: Card) => ({ ts, blocks, text: '' })

async function click(d: Deployment, card: Card, action: 'forward' | 'spam', times: number): Promise<void> {
  await Promise.all(Array.from({ length: times }, async () => {
    await (await interact(
      d.server.url, blockActions(message(card), action, card.submission, d.slack.reviewer),
    )).arrayBuffer()
  }))
}

/** Opens the edit form; Slack may fail to, and then the reviewer clicks again. */
async function edit(d: Deployment, { views }: Vendors, card: Card): Promise<void> {
  await until('the edit form', async () => {
    await (await interact(
      d.server.url, blockActions(message(card), 'edit', card.submission, d.slack.reviewer),
    )).arrayBuffer()
    return until('the view', () => views.has(card.submission), 1000).catch(() => null)
  })
  await (await interact(
    d.server.url, viewSubmission(views.get(card.submission)!, { f0: 'Grace' }, d.slack.reviewer),
  )).arrayBuffer()
}

/** True if all decided submissions are finished. */
async function finished(store: SubmissionStore, sent: readonly Sent[]): Promise<boolean> {
  for (const { id, action } of sent.toReversed()) {
    if (action && !isOver((await store.get(id!))!)) return false
  }
  return true
}

/** True if no open submission has work left. */
async function idle(store: SubmissionStore): Promise<boolean> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await store.listPending({ limit: 500, before: cursor })
    if (page.submissions.some(({ work }) => work.length > 0)) return false
    cursor = page.cursor
  }
  return true
}

async function sample(memory: number[], sending: () => boolean): Promise<void> {
  while (sending()) {
    memory.push(await memoryOfServer())
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
}

/** Returns the resident memory of the server that this process started, MiB. */
async function memoryOfServer(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'ppid=,rss=,args='])
  const [line = ''] = stdout.split('\n').filter(text => text.trim().startsWith(`${process.pid} `)
    && text.includes('.output/server/index.mjs'))
  return Math.round(Number(line.trim().split(/\s+/)[1]) / 1024)
}

function third(samples: readonly number[], which: number): number[] {
  const size = Math.floor(samples.length / 3)
  return samples.slice(which * size, (which + 1) * size).sort((a, b) => a - b)
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0
