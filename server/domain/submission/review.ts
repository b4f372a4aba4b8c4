import type { EditForm, Place, SendAgainForm } from '../../ports/board'
import type { Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Action, Person, Submission } from '../../ports/submission'
import type { ClaimResult } from '../../ports/submission-access'
import { signatureOf } from '../people/people'
import { addressesIn } from './addresses'
import { Desk, isForbidden, lateLine, type Click, type DeskPorts, type Forbidden, type Refused } from './desk'
import { irrevocable } from './endings'
import { submitterAddress } from './email'
import type { Edit } from './events'
import { applyEdits, type Marks } from './fields'
import type { Outbox } from './outbox'
import { deliveriesOf, editForm } from './present'
import { canSendAgain, sendAgainForm } from './receipt-notes'
import { Taking, type TakingPorts } from './taking'

export interface ReviewPorts extends DeskPorts, TakingPorts {
  store: SubmissionStore
  outbox: Outbox
  reviewers: DeskPorts['reviewers'] & TakingPorts['reviewers']
  runtime: Runtime
  /** For how long each decision can be taken back, ms; 0 for not at all. */
  revocableMs: Readonly<Record<Action, number>>
}

/** Who decides does not choose who reads the form, but for an address that does not take it. */
const NOT_RETURNED = 'Its email did not come back, so it goes where it went before: send it again without another address.'

const CHANGED = 'It has changed since this was approved, so nothing was done. Propose it again: the card then shows what it says now.'

/** What a forward changes. */
interface Changes {
  edit?: Edit
  to?: readonly string[]
}

/** By input id. */
interface Errors {
  errors: Record<string, string>
}

/** What reviewers do at one place. */
export class Review {
  /** Who is on it. */
  readonly taking: Taking
  private readonly desk: Desk

  constructor(private readonly ports: ReviewPorts, place: Place) {
    this.desk = new Desk(ports, place)
    this.taking = new Taking(ports, this.desk)
  }

  /** The form to edit. */
  async edit(id: string, person: Person, click?: Click): Promise<EditForm | Refused> {
    const found = await this.desk.here(id, 'edit', person, { click })
    if ('claimed' in found) return found
    const { known } = found
    if (known.state !== 'open' || !known.data) return this.desk.late(id, click)
    return await this.taking.warning(known, person, click) ?? editForm(known, this.ports.presentation)
  }

  /**
   * @param reviewer may still be looked up, which then costs no round trip of its own
   * @param click absent where they approved what a program asked for
   * @param content digest of the form data that they approved so
   */
  async decide(
    id: string, action: Action, reviewer: Person | Promise<Person>, click?: Partial<Click>, content?: string,
  ): Promise<ClaimResult> {
    const { store, presentation } = this.ports
    const recalled = store.recall(id)
    // Where to confirm a forward, and whether files end with it, stands beside the data.
    const { confirm, files } = presentation.forms.of(recalled?.form)
    const isEnough = !confirm && !files
    const [found, who] = await Promise.all([
      this.desk.here(id, action, reviewer, { click, recalled: isEnough ? recalled : null }), reviewer,
    ])
    return 'claimed' in found ? found : this.claim(id, action, who, found.known, { click, content }, () => ({}))
  }

  /**
   * @param submitted what was typed, by input id
   * @param form what the platform calls the form that was submitted, and what that showed, if it was not these data;
   * absent where they approved what a program asked for
   * @returns errors by input id when the texts do not fit the fields
   */
  async decideEdited(
    id: string, submitted: Readonly<Record<string, string>>, reviewer: Person,
    form?: { press?: string, shown?: Marks }, content?: string,
  ): Promise<ClaimResult | Errors> {
    const click = form && { press: form.press }
    const found = await this.desk.here(id, 'edit', reviewer, { click })
    if ('claimed' in found) return found
    const { known } = found
    if (!known.data) return { claimed: false, message: lateLine(known) }
    return this.claim(id, 'forward', reviewer, known, { click, content }, ({ data, form: key }) => {
      const edit = applyEdits(data ?? {}, submitted, this.ports.presentation.forms.of(key).fields, form?.shown)
      return 'errors' in edit ? edit : { edit }
    })
  }

  /** Takes a decision back, while that is possible. */
  async revoke(
    id: string, action: Action, reviewer: Person | Promise<Person>, click: Partial<Click> = {},
  ): Promise<ClaimResult> {
    const { outbox, runtime, log } = this.ports
    const [found, who] = await Promise.all([this.desk.here(id, `revoke ${action}`, reviewer, { click }), reviewer])
    if ('claimed' in found) return found
    const event = { type: 'revoked', action, reviewer: signatureOf(who), press: click.press } as const
    const applied = await outbox.apply(id, [event], found.known)
    if ('refused' in applied) return this.desk.late(id, click, irrevocable)
    log.info('submission.revoked', { submission: id, action, platform: who.platform, reviewer: who.id })
    runtime.background(outbox.run(applied.submission, applied.added))
    return { claimed: true }
  }

  /** What is asked before its email is sent again, or null when that did not come back. */
  async sendAgainForm(id: string, person: Person, click?: Click): Promise<SendAgainForm | Refused | null> {
    const found = await this.desk.here(id, 'forward', person, { click })
    if ('claimed' in found) return found
    const form = sendAgainForm(found.known)
    return form && (await this.taking.warning(found.known, person, click) ?? form)
  }

  /**
   * Forwards what failed once more.
   *
   * @param to what was typed as addresses for an email that came back; undefined for the same as before
   * @returns errors by input id when they are none
   */
  async sendAgain(
    id: string, to: string | undefined, reviewer: Person | Promise<Person>, click?: Partial<Click>,
  ): Promise<ClaimResult | Errors> {
    const [found, who] = await Promise.all([this.desk.here(id, 'forward', reviewer, { click }), reviewer])
    if ('claimed' in found) return found
    const { known } = found
    if (known.state === 'open') {
      if (known.failures.length === 0) return { claimed: false, message: 'Nothing of it has to be sent again.' }
      if (to !== undefined && !canSendAgain(known)) return { claimed: false, message: NOT_RETURNED }
    }
    return this.claim(id, 'forward', who, known, { click }, (stored) => {
      const last = lastAddressed(stored)
      return to === undefined ? last : addressesIn(to, last.to)
    })
  }

  /** Why somebody may not have this one decided; null when they may. */
  async refusal(id: string, person: Person): Promise<Forbidden | null> {
    if (this.ports.presentation.forms.all.every(({ reviewers }) => !reviewers)) return null
    const found = await this.desk.here(id, 'approve', person)
    return isForbidden(found) ? found : null
  }

  /** @param changesOf what the decision changes of the version that it meets: others may write until it does */
  private async claim<Outcome extends Changes | Errors>(
    id: string, action: Action, person: Person, known: Submission,
    { click, content }: { click?: Partial<Click>, content?: string }, changesOf: (stored: Submission) => Outcome,
  ): Promise<ClaimResult | Extract<Outcome, Errors>> {
    const { card, press } = click ?? {}
    const { outbox, presentation, revocableMs: { [action]: revocableMs }, runtime, log } = this.ports
    const reviewer = signatureOf(person)
    const form = presentation.forms.of(known.form)
    const deliveries = deliveriesOf(form)
    const heeds = this.taking.heeds(known, person)
    let changes: Changes | Errors = {}
    const applied = await outbox.apply(id, (stored) => {
      changes = changesOf(stored)
      if ('errors' in changes) return []
      const data = changes.edit?.data ?? stored.data
      const confirm = form.confirm && action === 'forward' ? submitterAddress({ ...stored, data }) : undefined
      const shown = { card, press, content }
      return [{ type: 'claimed', action, reviewer, deliveries, revocableMs, heeds, confirm, ...shown, ...changes }]
    }, known)
    if ('errors' in changes) return changes as Extract<Outcome, Errors>
    if ('refused' in applied) {
      if (applied.refused === 'changed') return { claimed: false, message: CHANGED }
      const isTaken = heeds && applied.refused === 'taken'
      const way = click ? 'press' : 'approval'
      return isTaken ? this.taking.warn(id, heeds, card && press, way) : this.desk.late(id, click)
    }
    log.info('submission.claimed', {
      submission: id, action, edited: 'edit' in changes, platform: reviewer.platform, reviewer: reviewer.id,
    })
    runtime.background(outbox.run(applied.submission, applied.added))
    const { state, revocableUntil } = applied.submission
    if (state === 'settling' && revocableUntil !== undefined) outbox.runOnTime(applied.submission)
    return { claimed: true, ...revocableUntil !== undefined && { revocableUntil } }
  }
}

/** Where its email went last, however its form or its decision said that. */
function lastAddressed(submission: Submission | null): Pick<Changes, 'to'> {
  const to = submission?.sent?.find(({ delivery }) => delivery === 'email')?.to
  return to ? { to } : {}
}
