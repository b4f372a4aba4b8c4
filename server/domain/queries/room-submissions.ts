import type { Scope } from '../../ports/board'
import type { Form } from '../../ports/form'
import type { AuditLine, Submission, SubmissionData } from '../../ports/submission'
import type {
  ApprovedDecision, Found, ShownSubmission, SubmissionAccess, SubmissionStats,
} from '../../ports/submission-access'
import { isDataUrl } from '../../../shared/utils/data-url'
import { plainText } from '../../../shared/utils/line'
import type { Context } from '../context'
import type { Decisions } from '../review/decisions'
import { decidedOf, cardView } from '../cards/card-view'
import { editInputs } from '../fields/edits'
import { readFields } from '../fields/fields'
import { namedAnswers } from '../fields/reading'
import { displayText } from '../fields/values'
import { orderedObject } from '../json'
import { belongsTo, isFormOf } from '../review/scope'
import { contentHash } from '../lifecycle/record'
import { pendingAt, searchFor } from './search'

/** Max pending submissions read, in all and per page; the newest first. */
const READ_LIMITS = { most: 500, page: 50 }

/** Max audit lines read for statistics, the latest first. */
const AUDIT_LINES = 1000

/** Submissions of one place, for the agent's tools. */
export class RoomSubmissions implements SubmissionAccess {
  constructor(
    private readonly context: Context, private readonly decisions: Decisions, private readonly place: Scope,
  ) {}

  async search(text: string, limit: number): Promise<Found> {
    const { found: pendingSubmissions, complete } = await pendingAt(
      this.place, READ_LIMITS, this.context, page => this.context.store.listPending(page),
    )
    const matches = pendingSubmissions.filter(searchFor(text, this.context.forms))
    const submissions = matches.slice(0, limit).map(submission => this.describe(submission))
    return { submissions, matches: matches.length, pending: pendingSubmissions.length, complete }
  }

  async get(id: string): Promise<ShownSubmission | null> {
    const submission = await this.load(id)
    return submission && this.describe(submission)
  }

  async stats(): Promise<SubmissionStats> {
    const { store, forms } = this.context
    const [{ found: submissions, complete }, lines] = await Promise.all([
      pendingAt(this.place, READ_LIMITS, this.context, page => store.listRecords(page)), store.audit(AUDIT_LINES),
    ])
    const auditLines = lines.filter(({ form }) => isFormOf(this.place, form, forms))
    const decidedLines = decidedOf(auditLines)
    const count = (outcome: AuditLine['outcome']) => decidedLines.filter(line => line.outcome === outcome).length
    return {
      pending: submissions.length, complete,
      newestAt: submissions[0]?.receivedAt ?? null,
      decided: {
        forwarded: count('forwarded') + count('edited'), spam: count('spam'), expired: count('expired'),
        sinceAt: auditLines.at(-1)?.at ?? null,
      },
    }
  }

  async decide({ changes, ...decision }: ApprovedDecision): ReturnType<SubmissionAccess['decide']> {
    const submission = changes ? await this.load(decision.id) : null
    const form = this.context.forms.of(submission?.form)
    const inputs = editInputs(submission?.data ?? null, form)
    const inputsByKey = new Map(inputs.map(input => [input.key, input]))
    const inputsByName = new Map([...namedAnswers(submission?.data ?? null, form)].flatMap(([name, { key }]) => (
      inputsByKey.has(key) ? [[name.toWellFormed(), inputsByKey.get(key)!] as const] : []
    )))
    const idOf = (field: string) => (inputsByName.get(field.toWellFormed()) ?? inputsByKey.get(field))?.id
    const unknownChanges = submission?.data ? changes?.filter(({ field }) => !idOf(field)) : []
    if (unknownChanges?.length) {
      const unknownNames = quoteNames(unknownChanges.map(({ field }) => field))
      const fieldNames = quoteNames([...inputsByName.keys()])
      return { kind: 'unchanged', message: `There is no field ${unknownNames}. Its fields are ${fieldNames}.` }
    }
    const values = changes && Object.fromEntries(changes.map(({ field, value }) => [idOf(field) ?? '', value]))
    const attempt = { ...decision, place: this.place }
    const result = await this.decisions.decide(values ? { ...attempt, action: 'edit', values } : attempt)
    if (result.kind !== 'invalid') return result
    const labelOf = (inputId: string) => quoteNames(inputs.filter(({ id }) => id === inputId).map(({ label }) => label))
    const errors = Object.entries(result.errors).map(([inputId, error]) => `${labelOf(inputId)}: ${error}`)
    return { kind: 'unchanged', message: errors.join(' ') }
  }

  private async load(id: string): Promise<Submission | null> {
    const submission = await this.context.store.get(id)
    return submission && belongsTo(this.place, submission, this.context) ? submission : null
  }

  private describe(submission: Submission): ShownSubmission {
    const { id, state, receivedAt, expiresAt, data } = submission
    const form = this.context.forms.of(submission.form)
    const { notes } = cardView(submission, { ...this.context, texts: undefined })
    return {
      id, state, receivedAt, expiresAt, data: data && namedValues(data, form),
      ...state === 'open' && data && { content: contentHash(data) },
      fields: readFields(submission, { ...form, labels: {}, fields: {} }), notes: notes.map(plainText),
    }
  }
}

/** Returns the values by the names that `FieldChange.field` accepts, with choices and files as people read them */
function namedValues(data: SubmissionData, form: Form): SubmissionData {
  return orderedObject([...namedAnswers(data, form)].map(([name, answer]) => (
    [name, answer.choices || isDataUrl(answer.value) ? displayText(answer, {}) : answer.value]
  )))
}

function quoteNames(names: readonly string[]): string {
  return names.map(name => JSON.stringify(name)).join(', ')
}
