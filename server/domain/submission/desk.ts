import type { Desk, DeskStats, DeskSubmission, FieldChange, Found, Verdict } from '../../ports/desk'
import type { SubmissionStore } from '../../ports/store'
import type { Action, AuditLine, Reviewer, Submission } from '../../ports/submission'
import { editInputs } from './fields'
import { cardView, readFields, type Presentation } from './present'
import type { Review } from './review'

export interface DeskPorts {
  store: SubmissionStore
  review: Review
  presentation: Presentation
}

/** The newest pending submissions that a search looks at. A form may have 256 KiB, so a page is small. */
const LOOKED_AT = 500
const PAGE = 50

/** The latest audit lines that statistics count. */
const AUDITED = 1000

/** Shortest beginning of an id that a search takes for one. */
const ID_PREFIX = 6

/** Changes name a field by its key, so this is how it is shown. */
const BY_KEY = {}

type PendingPage = Awaited<ReturnType<SubmissionStore['listPending']>>

/** Submissions for people and programs that ask by words instead of clicking a card. */
export class SubmissionDesk implements Desk {
  constructor(private readonly ports: DeskPorts) {}

  async search(text: string, limit: number): Promise<Found> {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const submissions: DeskSubmission[] = []
    let [matches, before]: [number, string | undefined] = [0, undefined]
    for (let seen = PAGE; ; seen += PAGE) {
      const page: PendingPage = await this.page({ limit: PAGE, before })
      const found = page.submissions.filter(submission => isAbout(submission, words))
      matches += found.length
      submissions.push(...found.slice(0, limit - submissions.length).map(submission => this.shown(submission)))
      if (!page.cursor || seen >= LOOKED_AT) return { submissions, matches, pending: page.total, complete: !page.cursor }
      before = page.cursor
    }
  }

  async get(id: string): Promise<DeskSubmission | null> {
    const submission = await this.ports.store.get(id)
    return submission && this.shown(submission)
  }

  async stats(): Promise<DeskStats> {
    const [{ total, submissions }, audit] = await Promise.all([this.page({ limit: 1 }), this.ports.store.audit(AUDITED)])
    const count = (outcome: AuditLine['outcome']) => audit.filter(line => line.outcome === outcome).length
    return {
      pending: total,
      newestAt: submissions[0]?.receivedAt ?? null,
      decided: { forwarded: count('forwarded') + count('edited'), spam: count('spam'), expired: count('expired'), sinceAt: audit.at(-1)?.at ?? null },
    }
  }

  async decide(id: string, action: Action, reviewer: Reviewer): Promise<Verdict> {
    const result = await this.ports.review.decide(id, action, reviewer)
    return result.claimed ? { decided: true } : { decided: false, reason: result.message }
  }

  async decideEdited(id: string, changes: readonly FieldChange[], reviewer: Reviewer): Promise<Verdict> {
    const submission = await this.ports.store.get(id)
    const inputs = editInputs(submission?.data ?? {})
    const input = (field: string) => inputs.find(({ label }) => label === field.toWellFormed())
    const unknown = submission?.data ? changes.filter(({ field }) => !input(field)) : []
    if (unknown.length > 0) return { decided: false, reason: `There is no field ${quoted(unknown.map(({ field }) => field))}. Its fields are ${quoted(inputs.map(({ label }) => label))}.` }
    const typed = Object.fromEntries(changes.map(({ field, value }) => [input(field)?.id ?? '', value]))
    const result = await this.ports.review.decideEdited(id, typed, reviewer)
    if ('errors' in result) return { decided: false, reason: Object.entries(result.errors).map(([at, error]) => `${quoted(inputs.filter(({ id }) => id === at).map(({ label }) => label))}: ${error}`).join(' ') }
    return result.claimed ? { decided: true } : { decided: false, reason: result.message }
  }

  /** The one place that knows how the store lists what is pending. */
  private page(page: { limit: number, before?: string }): Promise<PendingPage> {
    return this.ports.store.listPending(page)
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
