import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { ClaimRule, Person, Reviewer, Submission } from '../../ports/submission'
import type { ClaimResult } from '../../ports/submission-access'
import { visible } from '../../../shared/utils/text'
import { identityOf, signatureOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import type { Click, Desk, Forbidden } from './desk'
import type { EventOf } from './events'
import { holderOf, isAnothers } from './hold'
import { notYoursLine, takenLine, warningLine, type Way } from './holder-notes'
import type { Outbox } from './outbox'
import type { Presentation } from './present'

export interface TakingPorts {
  store: Pick<SubmissionStore, 'get'>
  outbox: Pick<Outbox, 'apply' | 'run'>
  presentation: Presentation
  reviewers: Pick<Reviewers, 'has'>
  /** For how long somebody has what they took, ms. */
  claimMs: number
  runtime: Pick<Runtime, 'now' | 'background'>
  log: Log
}

const UNDONE = 'You did this already, and it was undone since. Do it anew.'

/** Who asked was too late to be in somebody's way. */
const LET_GO = 'Somebody had it just now. Try again.'

const OFF = 'Nobody takes submissions here: TAKE is not set.'

/** Who is on it: what reviewers take at one place and hand back, and what that means to the others. */
export class Taking {
  constructor(private readonly ports: TakingPorts, private readonly desk: Pick<Desk, 'here' | 'late'>) {}

  /** @param person may still be looked up, which then costs no round trip of its own */
  async take(id: string, person: Person | Promise<Person>, click?: Partial<Click>): Promise<ClaimResult> {
    const [found, who] = await Promise.all([this.desk.here(id, 'take', person, { click }), person])
    return 'claimed' in found ? found : this.give(id, found.known, who, click)
  }

  /** Gives it to somebody who may decide it, whoever has it. */
  async assign(id: string, to: Person, by: Person): Promise<ClaimResult> {
    const found = await this.desk.here(id, 'assign', by)
    if ('claimed' in found) return found
    const { known } = found
    const { reviewers } = this.ports.presentation.forms.of(known.form)
    const may = !reviewers || await this.ports.reviewers.has(reviewers, to)
    if (may) return this.give(id, known, to, { by: signatureOf(by) })
    const name = visible(to.name)
    return { claimed: false, message: may === null
      ? `Nobody can tell just now whether ${name} may decide it, so it was not given to them. Try again in a moment.`
      : `${name} may not decide it, so it was not given to them.` }
  }

  async handBack(id: string, person: Person | Promise<Person>, click?: Partial<Click>): Promise<ClaimResult> {
    const [found, who] = await Promise.all([this.desk.here(id, 'hand back', person, { click }), person])
    if ('claimed' in found) return found
    return this.change(id, found.known, who, { type: 'returned', who: identityOf(who), ...click })
  }

  /** Who decides, for the lifecycle to heed who has it; undefined where nobody takes. */
  heeds(known: Submission, person: Person): { who: string, rule: ClaimRule } | undefined {
    const rule = this.ports.presentation.forms.of(known.form).claim
    return rule && { who: identityOf(person), rule }
  }

  /** What somebody is told before they get a form of what another one has; null when they may have it. */
  async warning(known: Submission, person: Person, click?: Click): Promise<Forbidden | null> {
    const heeds = this.heeds(known, person)
    const isTaken = heeds && isAnothers(known, { heeds, ...click }, this.ports.runtime.now())
    return isTaken ? this.warn(known.id, heeds, click?.press) : null
  }

  /** Tells somebody that another one has it; where the rule is soft, they may decide from then on. */
  async warn(
    id: string, { who, rule }: { who: string, rule: ClaimRule }, press?: string, way?: Way,
  ): Promise<Forbidden> {
    const { store, outbox, runtime } = this.ports
    const present = await store.get(id)
    const holder = present && holderOf(present, runtime.now())
    if (holder && rule === 'soft') await outbox.apply(id, [{ type: 'warned', who, press }], present)
    const message = holder ? warningLine(holder, rule, way) : LET_GO
    return { claimed: false, message, forbidden: 'taken' }
  }

  private give(
    id: string, known: Submission, person: Person, how: Pick<EventOf<'taken'>, 'card' | 'press' | 'by'> = {},
  ): Promise<ClaimResult> {
    const { reviewers } = this.ports.presentation.forms.of(known.form)
    return this.change(id, known, how.by ?? person, {
      type: 'taken', person, forMs: this.ports.claimMs, listed: reviewers !== undefined, ...how,
    })
  }

  private async change(
    id: string, known: Submission, by: Reviewer, event: EventOf<'taken'> | EventOf<'returned'>,
  ): Promise<ClaimResult> {
    const { store, outbox, presentation, runtime, log } = this.ports
    if (!presentation.forms.of(known.form).claim) return { claimed: false, message: OFF }
    const applied = await outbox.apply(id, [event], known)
    if (!('refused' in applied)) {
      log.info(`submission.${event.type}`, { submission: id, platform: by.platform, reviewer: by.id })
      runtime.background(outbox.run(applied.submission, applied.added))
      return { claimed: true }
    }
    if (applied.refused !== 'taken' && applied.refused !== 'unchanged') return this.desk.late(id, event)
    const present = await store.get(id)
    const holder = present && holderOf(present, runtime.now())
    if (applied.refused === 'unchanged') {
      // A card's click that comes again is not answered.
      const who = event.type === 'taken' ? identityOf(event.person) : event.who
      const isSo = event.card || (holder?.who === who) === (event.type === 'taken')
      return isSo ? { claimed: true } : { claimed: false, message: UNDONE }
    }
    if (!holder) return { claimed: false, message: LET_GO }
    const message = event.type === 'taken' ? takenLine(holder) : notYoursLine(holder)
    return { claimed: false, message, forbidden: 'taken' }
  }
}
