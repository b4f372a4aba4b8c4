import type { Desk, DeskStats, DeskSubmission, FieldChange, Found, Verdict } from '../../ports/room-submissions'
import type { Place } from '../../ports/board'
import type { SubmissionStore } from '../../ports/store'
import type { Action, AuditLine, Reviewer, Submission } from '../../ports/submission'
import { editInputs } from './fields'
import { pendingAt } from './search'
import { belongsTo, isFormOf, type PlacePorts } from './place'
import { cardView, readFields, type Presentation } from './present'
import type { Review } from './review'

export interface DeskPorts {
  store: SubmissionStore
  review: Review
  presentation: Presentation
  board: PlacePorts['board']
}

/** The newest pending submissions that are looked at. */
const LOOKED_AT = { most: 500, page: 50 }

/** The latest audit lines that statistics count. */
const AUDITED = 1000

/** Shortest beginning of an id that a search takes for one. */
const ID_PREFIX = 6

/** Changes name a field by its key, so this is how it is shown. */
const BY_KEY = {}

/** The submissions of one place, for people and programs that ask by words instead of clicking a card. */
export class RoomSubmissions implements Desk {
  /** @param ports with the review of the same place */
  constructor(private readonly ports: DeskPorts, private readonly place: Place) {}

  async search(text: string, limit: number): Promise<Found> {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const { found, complete } = await pendingAt(this.place, LOOKED_AT, this.ports)
    const matches = found.filter(submission => isAbout(submission, words))
    return { submissions: matches.slice(0, limit).map(submission => this.shown(submission)), matches: matches.length, pending: found.length, complete }
  }

  async get(id: string): Promise<DeskSubmission | null> {
    const submission = await this.here(id)
    return submission && this.shown(submission)
  }

  async stats(): Promise<DeskStats> {
    const { store, presentation: { forms } } = this.ports
    const [{ found, complete }, lines] = await Promise.all([pendingAt(this.place, LOOKED_AT, this.ports), store.audit(AUDITED)])
    const audit = lines.filter(({ form }) => isFormOf(this.place, form, forms))
    const count = (outcome: AuditLine['outcome']) => audit.filter(line => line.outcome === outcome).length
    return {
      pending: found.length, complete,
      newestAt: found[0]?.receivedAt ?? null,
      decided: { forwarded: count('forwarded') + count('edited'), spam: count('spam'), expired: count('expired'), sinceAt: audit.at(-1)?.at ?? null },
    }
  }

  async decide(id: string, action: Action, reviewer: Reviewer): Promise<Verdict> {
    const result = await this.ports.review.decide(id, action, reviewer)
    return result.claimed ? { decided: true } : { decided: false, reason: result.message }
  }

  async decideEdited(id: string, changes: readonly FieldChange[], reviewer: Reviewer): Promise<Verdict> {
    const submission = await this.here(id)
    const inputs = editInputs(submission?.data ?? {})
    const input = (field: string) => inputs.find(({ label }) => label === field.toWellFormed())
    const unknown = submission?.data ? changes.filter(({ field }) => !input(field)) : []
    if (unknown.length > 0) return { decided: false, reason: `There is no field ${quoted(unknown.map(({ field }) => field))}. Its fields are ${quoted(inputs.map(({ label }) => label))}.` }
    const typed = Object.fromEntries(changes.map(({ field, value }) => [input(field)?.id ?? '', value]))
    const result = await this.ports.review.decideEdited(id, typed, reviewer)
    if ('errors' in result) return { decided: false, reason: Object.entries(result.errors).map(([at, error]) => `${quoted(inputs.filter(({ id }) => id === at).map(({ label }) => label))}: ${error}`).join(' ') }
    return result.claimed ? { decided: true } : { decided: false, reason: result.message }
  }

  private async here(id: string): Promise<Submission | null> {
    const submission = await this.ports.store.get(id)
    return submission && belongsTo(this.place, submission, this.ports) ? submission : null
  }

  private shown(submission: Submission): DeskSubmission {
    const { id, state, receivedAt, expiresAt, data } = submission
    return { id, state, receivedAt, expiresAt, data, fields: readFields(submission, BY_KEY), notes: cardView(submission, this.ports.presentation).notes }
  }
}

function isAbout(submission: Submission, words: readonly string[]): boolean {
  const text = readFields(submission, BY_KEY).map(({ label, value }) => `${label}\n${value}`).join('\n').toLowerCase()
  return words.every(word => text.includes(word) || (word.length >= ID_PREFIX && submission.id.startsWith(word)))
}

function quoted(names: readonly string[]): string {
  return names.map(name => JSON.stringify(name)).join(', ')
}
