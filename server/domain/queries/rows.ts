import type { RichText } from '../../../shared/types/line'
import type { CardLocation, HolderLine, Problem, Row, RowState } from '../../../shared/types/submissions'
import { UnreadableRecord, type SubmissionStore } from '../../ports/store'
import {
  INTERIM_OUTCOMES, type CardRef, type Submission, type SubmissionRecord, type Work, type WorkTarget,
} from '../../ports/submission'
import type { Context } from '../context'
import { StoreUnavailable, SubmissionGone, SubmissionUnreadable } from '../errors'
import { beginning, visible } from '../../../shared/utils/text'
import { outcomeLine } from '../cards/card-view'
import { deliveryName, wayOf } from '../deliveries/registry'
import { inOrder } from '../fields/fields'
import { readingOf } from '../fields/reading'
import { ruleFor } from '../fields/rules'
import { displayText } from '../fields/values'
import { assigneeOf } from '../lifecycle/assignment'
import { labelOf, roomName, type Named } from '../review/scope'
import { dataLivesUntil, isDelivery, listOf, needsPerson, outstanding } from '../lifecycle/record'

/** Audit lines searched for the end of one submission. */
const RECENT_ENDINGS = 1000

const PREVIEW_FIELDS = 4
const PREVIEW_LABEL = 40
const PREVIEW_VALUE = 160

export function stateOf(submission: Submission): RowState {
  if (submission.state === 'held') return 'held'
  if (listOf(submission) === 'spam') return 'spam'
  if (listOf(submission) === null) return 'done'
  if (needsPerson(submission)) return 'failed'
  const problem = deliveryProblem(submission, room => room)
  if (problem && problem.limitedBy === undefined) return 'retrying'
  return submission.state === 'settling' ? 'delivering' : 'waiting'
}

/** Returns the current problem: one that needs a person, or else the one with the earliest retry. */
export function deliveryProblem(submission: SubmissionRecord, roomNameOf: Named): Problem | null {
  const lastFailure = needsPerson(submission) && submission.failures.at(-1)
  if (lastFailure) {
    const { delivery, reason } = lastFailure
    return { what: deliveryName(delivery), reason, nextAttemptAt: null, refused: false }
  }
  const failingWork = outstanding(submission).filter(({ reason }) => reason !== undefined)
    .sort((a, b) => a.dueAt - b.dueAt)
  const worstWork = failingWork.find(({ refused }) => refused)
    ?? failingWork.find(({ limited }) => !limited) ?? failingWork[0]
  if (!worstWork) return null
  const isRefused = worstWork.refused === true
  const what = isRefused ? `Could not be posted to ${roomNameOf(worstWork.room!)}` : workName(worstWork, roomNameOf)
  const limitedBy = worstWork.limited && { limitedBy: vendorName(worstWork, roomNameOf) }
  return { what, reason: worstWork.reason!, nextAttemptAt: worstWork.dueAt, ...limitedBy, refused: isRefused }
}

/** Returns the vendor whose rate limit applies: `Slack`, `Email` or `Endpoint`. */
function vendorName({ kind, room, card }: Work, roomNameOf: Named): string {
  const place = room ?? card?.platform
  if (place !== undefined) return roomNameOf(place, card)
  return deliveryName(wayOf(kind))
}

/** Returns a name for a piece of work, e.g. `Email` or `Card on Slack`. */
export function workName({ kind, room, card }: WorkTarget, roomNameOf: Named): string {
  if (isDelivery(kind)) return deliveryName(kind)
  if (kind === 'erasure') return `Erasure at the ${deliveryName(wayOf(kind)).toLowerCase()}`
  if (kind === 'confirm') return 'Confirmation to its sender'
  const roomLabel = room === undefined && card ? roomNameOf(card.platform, card) : roomNameOf(room ?? '')
  return {
    post: `Card on ${roomLabel}`, update: `Card update on ${roomLabel}`, remind: `Reminder on ${roomLabel}`,
    tell: `News on ${roomLabel}`,
  }[kind]
}

export async function cardLocations(cards: readonly CardRef[], { board }: Context): Promise<CardLocation[]> {
  return Promise.all(cards.map(async (card) => {
    const isOnlyCard = cards.filter(({ platform }) => platform === card.platform).length === 1
    return {
      platform: isOnlyCard ? board.label(card.platform) : labelOf(board.roomOf(card), board),
      url: await board.link(card),
    }
  }))
}

/** @throws StoreUnavailable when the store does not answer, SubmissionUnreadable */
export function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    if (error instanceof UnreadableRecord) throw new SubmissionUnreadable(error.submission)
    throw new StoreUnavailable(
      error, 'The store does not answer. Nothing was changed as far as we know; try again in a moment.',
    )
  })
}

/** Returns an error that states the last outcome of a submission without a trace. @throws StoreUnavailable */
export async function ending(
  id: string, store: SubmissionStore, toError: (message: RichText) => Error,
): Promise<Error> {
  const lines = await orUnavailable(store.audit(RECENT_ENDINGS))
  const lastLine = lines.find(each => each.id === id && !INTERIM_OUTCOMES.includes(each.outcome))
  return lastLine ? toError(outcomeLine(lastLine.outcome, lastLine)) : new SubmissionGone()
}

/** Returns a submission, or the error if it is unreadable. */
export function found(store: SubmissionStore, id: string): Promise<Submission | null | UnreadableRecord> {
  return store.get(id).catch((error: unknown) => {
    if (error instanceof UnreadableRecord) return error
    throw error
  })
}

/**
 * Returns the submissions that exist and are readable; skips the others.
 *
 * @param unreadable list to which the ids of unreadable submissions are added
 */
export async function getAll(
  store: SubmissionStore, ids: readonly string[], unreadable: string[] = [],
): Promise<Submission[]> {
  const results = await Promise.all(ids.map(id => found(store, id)))
  unreadable.push(...results.flatMap(result => result instanceof UnreadableRecord ? [result.submission] : []))
  return results.filter((result): result is Submission => result !== null && !(result instanceof UnreadableRecord))
}

/** Builds a row of the list. */
export async function listRow(submission: Submission, context: Context): Promise<Row> {
  const { id, receivedAt, data, cards } = submission
  const form = context.forms.of(submission.form)
  const { answers } = readingOf(data, form)
  return {
    id, receivedAt,
    expiresAt: dataLivesUntil(submission),
    state: stateOf(submission), open: submission.state === 'open' && data !== null,
    form: form.name ?? null,
    preview: inOrder(answers, form.labels).slice(0, PREVIEW_FIELDS).map(answer => ({
      label: cut(answer.label, PREVIEW_LABEL),
      value: cut(displayText(answer, ruleFor(answer, form.fields)), PREVIEW_VALUE),
    })),
    more: Math.max(0, answers.length - PREVIEW_FIELDS),
    erased: data === null,
    ending: null,
    cards: await cardLocations(cards, context),
    problem: deliveryProblem(submission, roomName(context.board, cards)),
    holder: holderLine(submission, context),
  }
}

/** Returns the assignee, if the form has assignment. */
export function holderLine(submission: Submission, { forms, runtime }: Context): HolderLine | null {
  const assignee = forms.of(submission.form).claim ? assigneeOf(submission, runtime.now()) : null
  return assignee && { name: visible(assignee.name), platform: assignee.platform, since: assignee.since }
}

/** Returns the text in one line, cut to the length. */
function cut(text: string, length: number): string {
  // Clean only the beginning: a value may have a quarter of a million characters.
  const line = visible(beginning(text, 4 * length).toWellFormed()).replace(/\s+/g, ' ').trim()
  return line.length > length || text.length > 4 * length
    ? `${beginning(line, length - 1).trimEnd()}…`
    : line
}
