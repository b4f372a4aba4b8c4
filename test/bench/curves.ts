import { closedLoop, type LoadResult } from './load.ts'
import { openStore, pageTime } from './listing.ts'
import { markdown, plain } from './report.ts'
import { environment, FORM_REQUEST, startTarget, type Surroundings, type Target } from './target.ts'
import type { Vendors } from './vendor-process.ts'

const OPEN = [100, 1000, 10_000, 100_000]
const SENDERS = [1, 2, 4, 8, 16, 32, 64]
const REPLICAS = [1, 2, 3, 4]
const FOR_MS = 3000

/** Measures how the service scales: with open submissions, with senders, and with replicas. */
export async function curves(
  surroundings: Surroundings, vendors: Vendors,
): Promise<{ blocks: Record<'open' | 'senders' | 'replicas', string>, figures: unknown }> {
  await vendors.tell({ delayMs: 0, record: false })
  const figures = {
    open: await byOpen(surroundings), senders: await bySenders(surroundings), replicas: await byReplicas(surroundings),
  }
  return {
    blocks: { open: draw(figures.open), senders: draw(figures.senders), replicas: draw(figures.replicas) }, figures,
  }
}

async function byOpen(surroundings: Surroundings) {
  const { store, fill, firstMatch, empty, close } = await openStore(surroundings.redisUrl)
  await empty()
  const rows: Record<string, number>[] = []
  let open = 0
  for (const wanted of OPEN) {
    await fill(wanted - open)
    const found = await firstMatch(20)
    const target = await warmTarget(surroundings)
    const load = await closedLoop(target.port, 8, () => FORM_REQUEST, { requests: 2000 })
    const { total } = await store.listPending({ limit: 1 })
    rows.push({
      'open': wanted, ...latency(load), 'a page of 50, ms': await pageTime(store, 100),
      'first match, ms': found, 'service RSS MiB': target.rss(),
    })
    open = total
    await target.stop()
  }
  await empty()
  await close()
  return rows
}

async function bySenders(surroundings: Surroundings) {
  const target = await warmTarget(surroundings)
  const rows: Record<string, number>[] = []
  for (const senders of SENDERS) rows.push({
    senders, ...latency(await closedLoop(target.port, senders, () => FORM_REQUEST, { ms: FOR_MS })),
    'service RSS MiB': target.rss(),
  })
  await target.stop()
  return rows
}

async function byReplicas(surroundings: Surroundings) {
  const targets: Target[] = []
  const rows: Record<string, number>[] = []
  for (const replicas of REPLICAS) {
    targets.push(await warmTarget(surroundings))
    const before = targets.map(({ cpu }) => cpu())
    const loads = await Promise.all(
      targets.map(({ port }) => closedLoop(port, 32 / replicas, () => FORM_REQUEST, { ms: FOR_MS })),
    )
    const requests = loads.reduce((sum, load) => sum + load.requests, 0)
    const cpuS = targets.reduce((sum, { cpu }, index) => sum + cpu() - before[index]!, 0)
    rows.push({
      replicas, 'per s': loads.reduce((sum, load) => sum + load.perSecond, 0),
      'p50 ms': Math.max(...loads.map(load => load.p50)), 'p99 ms': Math.max(...loads.map(load => load.p99)),
      'CPU s per 1,000': cpuS / requests * 1000,
    })
  }
  for (const target of targets) await target.stop()
  return rows
}

async function warmTarget(surroundings: Surroundings): Promise<Target> {
  const target = await startTarget('service', environment(surroundings))
  await closedLoop(target.port, 8, () => FORM_REQUEST, { requests: 2000 })
  return target
}

function latency({ perSecond, p50, p99 }: LoadResult): Record<string, number> {
  return { 'per s': perSecond, 'p50 ms': p50, 'p99 ms': p99 }
}

function draw(rows: readonly Record<string, number>[]): string {
  const names = Object.keys(rows[0]!)
  return markdown(names, rows.map(row => names.map(name => plain(row[name]!))), 0)
}
