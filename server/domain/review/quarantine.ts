import { UnreadableRecord } from '../../ports/store'
import type { Person } from '../../ports/submission'
import type { Context } from '../context'
import { SubmissionEnded, SubmissionGone, SubmissionUnreadable, WrongState } from '../errors'
import { signatureOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import { endLine } from '../cards/card-view'
import type { Applied, LifecycleEvent } from '../lifecycle/events'
import type { Outbox } from '../outbox/outbox'
import { ending, found, orUnavailable } from '../queries/rows'
import { isOver } from '../lifecycle/record'
import { toldErasures } from '../deliveries/registry'

/** Releases quarantined submissions, and erases any submission. */
export class Quarantine {
  constructor(
    private readonly context: Context, private readonly outbox: Outbox, private readonly reviewers: Reviewers,
  ) {}

  /**
   * `release` treats the form as a real one and posts its cards. `erase` erases the form data in any state, updates the
   * cards and notifies the endpoint. It also erases an unreadable submission, but cannot update its cards or notify its
   * endpoint, because no record names them.
   *
   * @throws SubmissionGone, SubmissionEnded, WrongState if it is not quarantined, SubmissionUnreadable, NotAReviewer,
   * PeopleUnknown, StoreUnavailable
   */
  async decide(action: 'release' | 'erase', id: string, person: Person, press?: string): Promise<void> {
    const { store, forms, tellsErasures, runtime, log } = this.context
    const loadedRecord = await orUnavailable(found(store, id))
    const record = loadedRecord instanceof UnreadableRecord ? loadedRecord.record : loadedRecord
    // If the form is unknown, the person must be a reviewer of every form.
    for (const form of record ? [forms.of(record.form)] : loadedRecord ? forms.all : []) {
      const refusal = await this.reviewers.refusal(form, person, { submission: id, action, platform: 'ops' })
      if (refusal) throw refusal
    }
    if (loadedRecord instanceof UnreadableRecord && action === 'release') throw new SubmissionUnreadable(id)
    if (loadedRecord && !record) return this.purge(id, person)
    if (record && action === 'release' && isOver(record)) throw new SubmissionEnded(endLine(record))
    const form = forms.of(record?.form)
    const origin = { reviewer: signatureOf(person), press }
    const event: LifecycleEvent = action === 'release'
      ? { type: 'released', rooms: form.rooms, ...origin }
      : { type: 'erased', told: tellsErasures && record ? toldErasures(form, record) : [], ...origin }
    const applied: Applied = record ? await orUnavailable(this.outbox.apply(id, [event], record)) : { refused: 'gone' }
    if (!('refused' in applied)) {
      log.info(`submission.${event.type}`, { submission: id, reviewer: person.id })
      return runtime.background(this.outbox.run(applied.submission, applied.added))
    }
    if (applied.refused === 'gone') throw await ending(id, store, message => new SubmissionEnded(message))
    if (applied.refused === 'expired') throw new SubmissionGone()
    if (action === 'erase') throw new SubmissionEnded(endLine((await orUnavailable(store.get(id)))!))
    throw new WrongState('This submission is not held: it can be forwarded, edited and forwarded, or marked as spam.')
  }

  private async purge(id: string, reviewer: Person): Promise<void> {
    const { store, files, runtime, log } = this.context
    await orUnavailable(store.forget(id, { reviewer: signatureOf(reviewer), at: runtime.now() }))
    files?.erase(id)
    log.info('submission.erased', { submission: id, reviewer: reviewer.id })
  }
}
