import type { Log, Runtime } from '../../ports/runtime'
import { Unreadable, type SubmissionStore } from '../../ports/store'
import type { Person, Submission } from '../../ports/submission'
import { SubmissionEnded, SubmissionGone, SubmissionUnreadable, WrongState } from '../errors'
import { signatureOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import { endLine } from './endings'
import type { Applied, LifecycleEvent } from './events'
import type { Outbox } from './outbox'
import { ending, found, reached } from './overview'
import type { Presentation } from './present'
import type { SubmissionFiles } from './submission-files'
import { isOver } from './trace'

export interface QuarantinePorts {
  store: Pick<SubmissionStore, 'get' | 'audit' | 'forget'>
  outbox: Pick<Outbox, 'apply' | 'run'>
  reviewers: Pick<Reviewers, 'refusal'>
  presentation: Presentation
  /** Endpoints are told what was erased. */
  tellsErasures: boolean
  /** Files that came with forms; none in tests without them. */
  files?: Pick<SubmissionFiles, 'erase'>
  runtime: Pick<Runtime, 'background' | 'now'>
  log: Log
}

type Judgement = Extract<LifecycleEvent, { type: 'released' | 'erased' }>

/** What people decide about submissions that are held, and what they have erased. */
export class Quarantine {
  constructor(private readonly ports: QuarantinePorts) {}

  /**
   * It is a form after all: its cards go out as for a new one.
   *
   * @throws SubmissionGone, SubmissionEnded, WrongState when it is not held, NotAReviewer, PeopleUnknown,
   * StoreUnavailable
   */
  async release(id: string, reviewer: Person, press?: string): Promise<void> {
    const { outbox, presentation, runtime } = this.ports
    const known = await this.judgedBy(reviewer, id, 'release')
    if (known instanceof Unreadable) throw new SubmissionUnreadable(id)
    const { rooms } = presentation.forms.of(known?.form)
    const event = { type: 'released', reviewer: signatureOf(reviewer), rooms, press } as const
    const { submission, added } = await this.judge(id, event, known)
    runtime.background(outbox.run(submission, added))
  }

  /**
   * Erases the form data, wherever the submission is in its life, has its cards follow, and its endpoint told. One that
   * cannot be read is erased, too; where nothing says which cards it has and where it went, these are left as they are.
   *
   * @throws SubmissionGone, SubmissionEnded, NotAReviewer, PeopleUnknown, StoreUnavailable
   */
  async erase(id: string, reviewer: Person, press?: string): Promise<void> {
    const { outbox, presentation, tellsErasures, runtime } = this.ports
    const judged = await this.judgedBy(reviewer, id, 'erase')
    const known = judged instanceof Unreadable ? judged.rest : judged
    if (judged instanceof Unreadable && !known) return this.drop(id, reviewer)
    const told = tellsErasures && presentation.forms.of(known?.form).endpoint !== null
    const event = { type: 'erased', reviewer: signatureOf(reviewer), told, press } as const
    const { submission, added } = await this.judge(id, event, known)
    runtime.background(outbox.run(submission, added))
  }

  /** The submission, for who may judge it: where nobody knows its form, for who may in all of them. */
  private async judgedBy(person: Person, id: string, action: string): Promise<Submission | null | Unreadable> {
    const { store, presentation: { forms }, reviewers } = this.ports
    const judged = await reached(found(store, id))
    const known = judged instanceof Unreadable ? judged.rest : judged
    for (const form of known ? [forms.of(known.form)] : judged ? forms.all : []) {
      const refused = await reviewers.refusal(form, person, { submission: id, action, platform: 'ops' })
      if (refused) throw refused
    }
    return judged
  }

  private async drop(id: string, reviewer: Person): Promise<void> {
    const { store, files, runtime, log } = this.ports
    await reached(store.forget(id, { reviewer: signatureOf(reviewer), at: runtime.now() }))
    files?.erase(id)
    log.info('submission.erased', { submission: id, reviewer: reviewer.id })
  }

  private async judge(
    id: string, event: Judgement, known: Submission | null,
  ): Promise<Exclude<Applied, { refused: unknown }>> {
    const { outbox, store, log } = this.ports
    if (known && event.type === 'released' && isOver(known)) throw new SubmissionEnded(endLine(known))
    const applied: Applied = known ? await reached(outbox.apply(id, [event], known)) : { refused: 'gone' }
    if (!('refused' in applied)) {
      log.info(`submission.${event.type}`, { submission: id, reviewer: event.reviewer.id })
      return applied
    }
    if (applied.refused === 'gone') throw await ending(id, store, message => new SubmissionEnded(message))
    if (applied.refused === 'expired') throw new SubmissionGone()
    if (event.type === 'erased') throw new SubmissionEnded(endLine((await reached(store.get(id)))!))
    throw new WrongState('This submission is not held: it can be forwarded, edited and forwarded, or marked as spam.')
  }
}
