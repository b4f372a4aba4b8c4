import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Reviewer, Submission } from '../../ports/submission'
import { SubmissionEnded, SubmissionGone, WrongState } from '../errors'
import { ending } from './details'
import type { CardQueue } from './card-queue'
import type { Applied, LifecycleEvent } from './events'
import type { Outbox } from './outbox'
import { reached } from './overview'
import type { Presentation } from './present'

export interface QuarantinePorts {
  store: Pick<SubmissionStore, 'get' | 'audit'>
  outbox: Pick<Outbox, 'apply' | 'run'>
  queue: Pick<CardQueue, 'wake'>
  presentation: Presentation
  runtime: Pick<Runtime, 'background'>
  log: Log
}

type Judgement = Extract<LifecycleEvent, { type: 'released' | 'deleted' }>

/**
 * What people decide about submissions that are held. Both methods reject with SubmissionGone or SubmissionEnded when
 * there is none, WrongState when it is not held, StoreUnavailable.
 */
export class Quarantine {
  constructor(private readonly ports: QuarantinePorts) {}

  /** It is a form after all: its cards go out as for a new one. */
  async release(id: string, reviewer: Reviewer): Promise<void> {
    const { outbox, queue, presentation, runtime, store } = this.ports
    const known = await reached(store.get(id))
    const { rooms } = presentation.forms.of(known?.form)
    const { submission, added } = await this.judge(id, { type: 'released', reviewer, rooms }, known)
    // What has to wait its turn is in the queue by then.
    runtime.background(outbox.run(submission!, added).then(() => queue.wake(rooms)))
  }

  /** It is not: erased at once. */
  async delete(id: string, reviewer: Reviewer): Promise<void> {
    await this.judge(id, { type: 'deleted', reviewer }, await reached(this.ports.store.get(id)))
  }

  private async judge(
    id: string, event: Judgement, known: Submission | null,
  ): Promise<Exclude<Applied, { refused: unknown }>> {
    const { outbox, store, log } = this.ports
    const applied: Applied = known ? await reached(outbox.apply(id, [event], known)) : { refused: 'gone' }
    if (!('refused' in applied)) {
      log.info(`submission.${event.type}`, { submission: id, reviewer: event.reviewer.id })
      return applied
    }
    if (applied.refused === 'gone') throw await ending(id, store, message => new SubmissionEnded(message))
    if (applied.refused === 'expired') throw new SubmissionGone()
    throw new WrongState('This submission is not held: it can be forwarded, edited and forwarded, or marked as spam.')
  }
}
