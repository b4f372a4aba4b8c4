import type { Outcome, Rest } from '../../ports/delivery'
import type { Destination } from '../../ports/form'
import type { Submission, Work } from '../../ports/submission'
import type { Context, RetryPolicy } from '../context'
import { formOf, rowOf, wayOf } from '../deliveries/registry'
import { MAX_DELIVERY_PAUSE_MS, vendorPauseMs } from './backoff'
import { Drains } from './drains'

/** Failures in a row after which a receiver rests. */
const MAX_FAILURES = 5

/** Pause between two trials, in multiples of the base delay: a minute at the default base. */
const TRIAL_PAUSE = 12

/** Reason that people see of a delivery that waits in a queue. */
export const WAITS_IN_LINE = 'Its receiver fails, so it waits in line. One trial a minute goes out.'

/** Time for which a process uses the state that it read, ms: forwards must not ask the store each time. */
const KNOWN_MS = 5000

/** Min time until waiting work is checked, ms, in case its queue has lost it; and the max time. */
const [QUEUE_CHECK_MS, MAX_CHECK_MS] = [60_000, 60 * 60_000]

/** Max pause between checks of a queue, ms: another replica may have changed it. */
const MAX_WAIT_MS = 1000

/**
 * Lets receivers that fail rest. A receiver rests after some failures in a row that are not about one submission, over
 * all submissions and replicas. Then its deliveries wait in a queue, by arrival of their forms, and the first one goes
 * out as a trial now and then. After a success the queue goes out at the pace of the receiver.
 */
export class Rests {
  private readonly known = new Map<string, { rest: Rest | null, readAt: number }>()
  private readonly drains: Drains
  /** Pauses of the receivers that had a queue in this process, by receiver. */
  private readonly intervals = new Map<string, number>()

  /** @param deliver makes the deliveries of a submission to this receiver now */
  constructor(
    private readonly context: Context, private readonly deliver: (id: string, receiver: string) => Promise<void>,
  ) {
    this.drains = new Drains(context.runtime, context.log, (receiver, isOver) => this.drain(receiver, isOver))
  }

  /** Continues the queues that this process knows of. */
  wake(receivers: readonly string[] = [...this.intervals.keys()]): void {
    this.drains.wake(receivers)
  }

  stop(): void {
    this.drains.stop()
  }

  /** Returns null if the delivery may be made now; otherwise the time of the next check, epoch ms. */
  async waitsUntil({ kind, hasTurn = false }: Work, submission: Submission): Promise<number | null> {
    const { queues, policy, runtime } = this.context
    const destination = destinationOf(kind, submission, this.context)
    const receiver = destination && receiverOf(destination, this.context)
    if (!receiver || hasTurn) return null
    const rest = await this.read(receiver)
    if (!rest || rest.state === 'failing') return null
    const { intervalMs } = rowOf(destination.id)!
    const position = await queues.enter(queueOf(receiver), submission)
    this.intervals.set(receiver, intervalMs)
    this.wake([receiver])
    const pauseMs = rest.state === 'resting' ? trialPauseMs(policy) : intervalMs
    return runtime.now() + Math.min(Math.max(QUEUE_CHECK_MS, (position - 1) * pauseMs), MAX_CHECK_MS)
  }

  /** True if failures of this receiver do not count against one submission, because it rests. */
  isResting(kind: Work['kind'], submission: Submission): boolean {
    const destination = destinationOf(kind, submission, this.context)
    const receiver = destination && receiverOf(destination, this.context)
    return receiver != null && this.known.get(receiver)?.rest?.state === 'resting'
  }

  /** Counts the result of a delivery. Never rejects. */
  async tried({ kind }: Work, outcome: Outcome<unknown>, submission: Submission): Promise<void> {
    const destination = destinationOf(kind, submission, this.context)
    const receiver = destination && receiverOf(destination, this.context)
    const isFailing = !outcome.ok && outcome.outage === true
    // A receiver that refuses one submission works. Other refusals, such as a wrong address, say nothing.
    const isWorking = outcome.ok || outcome.content === true
    if (!receiver || (!isFailing && !isWorking)) return
    // Failures are rare, and after a success there is nothing to change, as a rule.
    if (!isFailing && !this.known.get(receiver)?.rest) return
    const { rests, queues, runtime, policy, log } = this.context
    try {
      let before: Rest | null = null
      const rest = await rests.change(receiver, (stored) => {
        before = stored
        return isFailing ? counted(stored, runtime.now()) : worksAgain(stored)
      })
      this.remember(receiver, rest)
      this.intervals.set(receiver, rowOf(destination.id)!.intervalMs)
      const isChanged = rest?.state !== (before as Rest | null)?.state
      // A trial that failed keeps its place.
      if (rest?.state === 'resting') await queues.enter(queueOf(receiver), submission)
      const askedMs = outcome.ok ? 0 : vendorPauseMs(outcome.retryAfterMs, MAX_DELIVERY_PAUSE_MS)
      if (rest?.state === 'resting' && (isChanged || askedMs > trialPauseMs(policy))) {
        await this.pause(receiver, Math.max(askedMs, trialPauseMs(policy)))
      }
      if (isChanged && rest?.state === 'releasing') await this.pause(receiver, 0)
    }
    catch (error) {
      log.warn('rests.failed', { receiver, error })
    }
  }

  /** Closes the queue for a time, and continues it. */
  private async pause(receiver: string, pauseMs: number): Promise<void> {
    const { queues, log } = this.context
    await queues.pause(queueOf(receiver), pauseMs)
    this.wake([receiver])
    log.warn(pauseMs > 0 ? 'destination.rests' : 'destination.works-again', { receiver })
  }

  private async drain(receiver: string, isOver: () => boolean): Promise<void> {
    const { queues, rests, policy, runtime } = this.context
    const room = queueOf(receiver)
    while (!isOver()) {
      const rest = await rests.read(receiver)
      this.remember(receiver, rest)
      const intervalMs = rest?.state === 'resting' ? trialPauseMs(policy) : this.intervals.get(receiver) ?? 0
      const turn = await queues.take({ room, intervalMs })
      if (turn.id !== null) {
        await this.deliver(turn.id, receiver)
      }
      else if (turn.waitMs === null) {
        if (rest?.state === 'releasing') this.remember(receiver, await rests.change(receiver, released))
        if (rest?.state !== 'resting') this.intervals.delete(receiver)
        return
      }
      else {
        await runtime.wait(Math.min(Math.max(turn.waitMs, 1), MAX_WAIT_MS))
      }
    }
  }

  private async read(receiver: string): Promise<Rest | null> {
    const { rests, runtime } = this.context
    const known = this.known.get(receiver)
    if (known && runtime.now() - known.readAt < KNOWN_MS) return known.rest
    // Without the store a delivery is tried as usual.
    const rest = await rests.read(receiver).catch(() => known?.rest ?? null)
    this.remember(receiver, rest)
    return rest
  }

  private remember(receiver: string, rest: Rest | null): void {
    this.known.set(receiver, { rest, readAt: this.context.runtime.now() })
  }
}

/** Returns the parts of the status whose receivers rest. */
export async function restingParts(context: Context): Promise<string[]> {
  const { forms, rests } = context
  const parts = new Map(forms.all.flatMap(form => form.destinations).flatMap((each) => {
    const receiver = receiverOf(each, context)
    return receiver ? [[receiver, wayOf(each.id)] as const] : []
  }))
  const states = await Promise.all([...parts].map(async ([receiver, part]) => {
    return (await rests.read(receiver))?.state === 'resting' ? [part] : []
  }))
  return states.flat()
}

/** Returns the work of a submission for this receiver. */
export function workFor(receiver: string, submission: Submission, context: Context): Work[] {
  return submission.work.filter(({ kind }) => {
    const destination = destinationOf(kind, submission, context)
    return destination !== undefined && receiverOf(destination, context) === receiver
  })
}

function destinationOf(kind: Work['kind'], submission: Submission, context: Context): Destination | undefined {
  return formOf(submission, context).destinations.find(({ id }) => id === kind)
}

/** Returns who works or fails as one; null for a receiver that never rests. */
function receiverOf(destination: Destination, context: Context): string | null {
  return rowOf(destination.id)!.receiverOf(destination, context)
}

/** Pause between two trials, ms. */
export function trialPauseMs({ baseMs }: RetryPolicy): number {
  return TRIAL_PAUSE * baseMs
}

/** Name of the queue of a receiver; rooms have none like it. */
function queueOf(receiver: string): string {
  return `to/${receiver}`
}

function counted(rest: Rest | null, now: number): Rest {
  const { failures, since, state } = rest ?? { failures: 0, since: now, state: 'failing' }
  const isResting = state === 'resting' || failures + 1 >= MAX_FAILURES
  return { failures: failures + 1, since, state: isResting ? 'resting' : 'failing' }
}

function worksAgain(rest: Rest | null): Rest | null {
  return rest === null || rest.state === 'failing' ? null : { failures: 0, since: rest.since, state: 'releasing' }
}

function released(rest: Rest | null): Rest | null {
  return rest?.state === 'releasing' ? null : rest
}
