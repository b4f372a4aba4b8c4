import { setTimeout } from 'node:timers/promises'
import { forwardCards } from './clicks.ts'
import { closedLoop } from './load.ts'
import {
  DISCORD, environment, FORM_REQUEST, settledMs, startTarget, type Surroundings, type TargetName,
} from './target.ts'
import type { Vendors } from './vendor-process.ts'

/** Counts of one run; a quick run only shows that everything works. */
export interface Plan {
  rounds: number
  /**
   * Total: a quarter with a slow Slack, a quarter to warm up, half of them timed. A single sender then adds a tenth.
   * A count, not a duration, so that all targets are equally warm.
   */
  submissions: number
  /** Clicks with timed answers, at 50 a second */
  clicks: number
  /** Forwards with measured CPU time, at 125 a second; the same number precedes all clicks, to warm up. */
  forwards: number
  /** Forms sent at once while cards are posted at Slack's pace */
  burst: number
  /** Open submissions in the longest list */
  open: number
}

const SLACK_MS = 80

/** Figures of one target in one round */
export type Figures = Record<
  | 'intake per s' | 'intake p50 ms' | 'intake p99 ms' | 'CPU s per 1,000 submissions' | 'intake per s, Slack 80 ms'
  | 'intake p99 ms, Slack 80 ms' | 'one sender per s' | 'one sender p50 ms'
  | 'CPU s per 1,000 forwards' | 'ack p50 ms' | 'ack p99 ms' | 'card updated p50 ms'
  | 'first click ack ms' | 'first click card updated ms'
  | 'cold start ms' | 'RSS idle MiB' | 'RSS after submissions MiB', number> & Partial<Burst>

/** Figures of a burst of forms */
export type Burst = Record<'burst per s' | 'burst p99 ms', number>

/** Runs all measurements on a fresh process of the target. */
export async function measureTarget(
  name: TargetName, surroundings: Surroundings, vendors: Vendors, plan: Plan,
): Promise<Figures> {
  await vendors.tell({ delayMs: SLACK_MS, record: false })
  const target = await startTarget(name, environment(surroundings))
  const { port, cpu, rss } = target
  await setTimeout(settledMs(name))
  const idle = rss()
  const first = await forwardCards(target, vendors, 1, 0)
  await vendors.tell({ delayMs: SLACK_MS })
  const slow = await closedLoop(port, 128, () => FORM_REQUEST, { requests: plan.submissions / 4 })
  await vendors.tell({ delayMs: 0 })
  await closedLoop(port, 32, () => FORM_REQUEST, { requests: plan.submissions / 4 })
  const before = cpu()
  const intake = await closedLoop(port, 32, () => FORM_REQUEST, { requests: plan.submissions / 2 })
  const intakeCpu = cpu() - before
  const full = rss()
  const single = await closedLoop(port, 1, () => FORM_REQUEST, { requests: plan.submissions / 10 })
  await forwardCards(target, vendors, plan.forwards, 4)
  const clicks = await forwardCards(target, vendors, plan.clicks, 20)
  const forwards = await forwardCards(target, vendors, plan.forwards, 8)
  await target.stop()
  return {
    'intake per s': intake.perSecond, 'intake p50 ms': intake.p50, 'intake p99 ms': intake.p99,
    'CPU s per 1,000 submissions': intakeCpu / intake.requests * 1000,
    'intake per s, Slack 80 ms': slow.perSecond, 'intake p99 ms, Slack 80 ms': slow.p99,
    'one sender per s': single.perSecond, 'one sender p50 ms': single.p50,
    'CPU s per 1,000 forwards': forwards.cpuS / plan.forwards * 1000,
    'ack p50 ms': clicks.ackP50, 'ack p99 ms': clicks.ackP99, 'card updated p50 ms': clicks.updatedP50,
    'first click ack ms': first.ackP50, 'first click card updated ms': first.updatedP50,
    'cold start ms': target.coldStartMs, 'RSS idle MiB': idle, 'RSS after submissions MiB': full,
  }
}

const BURST_SENDERS = 100
/** Forms that fill the card queue, so that later senders do not wait for their cards. */
const BURST_WARM_UP = 50

/** Sends many forms at once to a fresh process of the target, which posts cards at its default pace. */
export async function measureBurst(
  name: TargetName, surroundings: Surroundings, vendors: Vendors, plan: Plan,
): Promise<Burst> {
  await vendors.tell({ delayMs: SLACK_MS, record: false })
  const target = await startTarget(name, { ...environment(surroundings), CARD_INTERVAL_MS: '' })
  await setTimeout(settledMs(name))
  await closedLoop(target.port, BURST_SENDERS, () => FORM_REQUEST, { requests: BURST_WARM_UP })
  const burst = await closedLoop(target.port, BURST_SENDERS, () => FORM_REQUEST, { requests: plan.burst })
  await target.kill()
  return { 'burst per s': burst.perSecond, 'burst p99 ms': burst.p99 }
}

/** Time from spawn to the first 200 with Discord configured too, ms */
export async function coldStartWithDiscord(surroundings: Surroundings, vendors: Vendors): Promise<number> {
  await vendors.tell({ delayMs: SLACK_MS })
  const target = await startTarget('service', { ...environment(surroundings), ...DISCORD(surroundings.vendorsUrl) })
  await target.stop()
  return target.coldStartMs
}

/** Returns the resident memory, MiB, after each of several batches of submissions. */
export async function memoryOverTime(
  surroundings: Surroundings, vendors: Vendors, times: number, submissions: number,
): Promise<number[]> {
  await vendors.tell({ delayMs: 0, record: false })
  const target = await startTarget('service', environment(surroundings))
  const memory: number[] = []
  for (let time = 0; time < times; time++) {
    await closedLoop(target.port, 32, () => FORM_REQUEST, { requests: submissions })
    memory.push(target.rss())
  }
  await target.stop()
  return memory
}
