import { SUBMISSION_TTL_MS, inDays } from '../../../../shared/lifetimes'
import { tool } from 'ai'
import { z } from 'zod'
import { ACTIONS } from '../../../../shared/actions'
import type { RichText } from '../../../../shared/types/line'
import { plainText, rich } from '../../../../shared/utils/line'
import type { Conversation } from '../../../ports/conversation'
import type { SubmissionAccess, ShownSubmission } from '../../../ports/submission-access'
import type { Action } from '../../../ports/submission'
import { truncateValue, UNTRUSTED, type Bounds } from './bounded'

export interface SubmissionToolsOptions {
  submissions: SubmissionAccess
  /** Person who requested or approved a write. Cards and emails name this person. */
  responsible: Conversation['responsible']
  approvedContent?: Conversation['approvedContent']
  /** Time for which each decision can be undone, ms; 0 if it is final. */
  revocableMs: Readonly<Record<Action, number>>
}

/** Limits of a search result: enough to choose by. `getSubmission` shows the rest. */
const SUMMARY_BOUNDS: Bounds = { text: 160, items: 12, total: 1200 }
const FULL_BOUNDS: Bounds = { text: 8000, items: 200, total: 16_000 }
const MAX_HITS = 10

/** Max changes in one call. An approval card has room for the name and beginning of each, on every platform. */
const MAX_CHANGES = 10

/** Effects of a decision in this deployment. The model repeats them in the thread. */
const FINAL = 'Final: it cannot be taken back.'
const { edit, reopen, undo } = ACTIONS
const DELAYED = `It does not go out at once: for a while its cards offer ${undo.label}, which takes it back.`
const SPAM_ERASED = `its data is erased at once and nothing is sent. ${FINAL}`
const SPAM_KEPT = `nothing is sent. Its data is not erased at once: for a while its cards offer ${reopen.label}, which takes it back; then it is erased.`

const id = z.string().min(1).max(100).describe('Id of the submission, a UUID, as searchSubmissions gives it')

/** Creates the tools for submissions: three that read, and three that write and need approval. */
export function createSubmissionTools({
  submissions: access, responsible, approvedContent, revocableMs,
}: SubmissionToolsOptions) {
  const getApproval = (toolCallId: string) => (
    { person: responsible(toolCallId), content: approvedContent?.(toolCallId) }
  )
  const [isDelayed, isKept] = [revocableMs.forward > 0, revocableMs.spam > 0]
  return {
    searchSubmissions: tool({
      title: 'Search submissions',
      description: 'List the pending form submissions, newest first, or find those that contain all given words (name, email, topic) or whose id begins with one. Also finds "a phrase", field:value, from:sender, before:2026-11-20, after:2026-11-20 (UTC) and form:key. Shows a summary of each; getSubmission shows one in full.',
      inputSchema: z.object({
        text: z.string().max(200).optional().describe('Words that must all occur; leave out to list the newest'),
        limit: z.number().int().min(1).max(MAX_HITS).optional()
          .describe(`Maximum number of results; ${MAX_HITS} by default`),
      }),
      execute: async ({ text = '', limit = MAX_HITS }) => {
        const { submissions, ...page } = await access.search(text, limit)
        return { ...page, submissions: submissions.map(submission => presentSubmission(submission, SUMMARY_BOUNDS)) }
      },
    }),
    getSubmission: tool({
      title: 'Show submission',
      description: 'Read one form submission in full: every field, when it came, when it expires, its state and what was decided. Use its data as it stands when saving it to a file.',
      inputSchema: z.object({ id }),
      execute: async ({ id }) => {
        const submission = await access.get(id)
        return submission
          ? presentSubmission(submission, FULL_BOUNDS)
          : { found: false, reason: `There is no such submission any more: it was decided, or its ${inDays(SUBMISSION_TTL_MS)} have passed.` }
      },
    }),
    submissionStats: tool({
      title: 'Submission statistics',
      description: 'Count the form submissions: how many are pending, and how many of the latest were forwarded, marked as spam or expired.',
      inputSchema: z.object({}),
      execute: async () => {
        const { pending, complete, newestAt, decided: { sinceAt, ...decided } } = await access.stats()
        return { pending, ...complete ? {} : { complete }, newest: formatTime(newestAt), decided: {
          ...decided, since: formatTime(sinceAt),
        } }
      },
    }),
    forwardSubmission: tool({
      title: 'Forward submission',
      description: `Forward one pending form submission as it is to the configured recipient by email, and to the downstream system if there is one. ${isDelayed ? DELAYED : FINAL}`,
      inputSchema: z.object({ id }),
      needsApproval: true,
      execute: async ({ id }, { toolCallId }) => describeOutcome(
        await access.decide({ id, action: 'forward', ...getApproval(toolCallId) }),
        'It is forwarded now; its card follows.', describeSending,
      ),
    }),
    editAndForwardSubmission: tool({
      title: 'Edit and forward submission',
      description: `Change fields of one pending form submission, for instance to correct a typo, then forward it. Name only the fields that change; getSubmission shows their names.${isDelayed ? ` ${DELAYED}` : ''}`,
      inputSchema: z.object({
        id,
        changes: z.array(z.object({
          field: z.string().describe('Name of the field, exactly as getSubmission shows it'),
          value: z.string().describe('Its new value; for a list or an object, its JSON'),
        })).min(1).max(
          MAX_CHANGES,
          `Nobody can review more than ${MAX_CHANGES} changes here. Ask for fewer, or for ${edit.label} on the card.`,
        ),
      }),
      needsApproval: true,
      execute: async ({ id, changes }, { toolCallId }) => describeOutcome(
        await access.decide({ id, action: 'forward', changes, ...getApproval(toolCallId) }),
        'It is edited and forwarded now; its card follows.',
        until => rich`It is edited. ${describeSending(until)}`,
      ),
    }),
    markSubmissionAsSpam: tool({
      title: 'Mark submission as spam',
      description: `Discard one pending form submission as spam: ${isKept ? SPAM_KEPT : SPAM_ERASED}`,
      inputSchema: z.object({ id }),
      needsApproval: true,
      execute: async ({ id }, { toolCallId }) => describeOutcome(
        await access.decide({ id, action: 'spam', ...getApproval(toolCallId) }),
        'It is marked as spam and its data is erased.',
        until => rich`It is marked as spam. Until ${{ at: until, shows: 'date' }} its cards offer ${reopen.label}; then its data is erased.`,
      ),
    }),
  }
}

/** Creates the tool for conversations in which forms must not be shown. With it, the model can say so. */
export function createElsewhereTools() {
  return {
    searchSubmissions: tool({
      title: 'Search submissions',
      description: 'Says where form submissions can be discussed: not in this conversation.',
      inputSchema: z.object({}),
      execute: async () => ({
        reason: 'Submissions are shown only in the channel of their cards. Ask there. Here nothing is known about them, not even how many there are.',
      }),
    }),
  }
}

/** Returns a submission for the model. All form data is under one key, next to the warning not to trust it. */
function presentSubmission({ id, state, receivedAt, expiresAt, data, notes }: ShownSubmission, bounds: Bounds) {
  const { value, cut: isCut } = truncateValue(data, bounds)
  return {
    id, state: state === 'open' ? 'pending' : state, received: formatTime(receivedAt), expires: formatTime(expiresAt),
    notes, untrusted: UNTRUSTED, data: value, ...isCut ? { cut: 'Some of the data is left out here.' } : {},
  }
}

/** @param describeUndo returns the message for a decision that can be undone until the given time, epoch ms */
function describeOutcome(
  result: Awaited<ReturnType<SubmissionAccess['decide']>>, finalMessage: string,
  describeUndo: (until: number) => RichText,
) {
  if (result.kind !== 'done') return { done: false, message: plainText(result.message) }
  const { revocableUntil } = result
  return { done: true, message: revocableUntil === undefined ? finalMessage : plainText(describeUndo(revocableUntil)) }
}

function describeSending(at: number): RichText {
  return rich`It goes out at ${{ at, shows: 'seconds' }}, unless somebody presses ${undo.label} on one of its cards.`
}

function formatTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString()
}
