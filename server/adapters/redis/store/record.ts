import { hourOf } from '../../../../shared/lifetimes'
import type { RedisClientType as RedisClient } from 'redis'
import type { List } from '../../../ports/store'
import type { Envelope, Submission, SubmissionData, SubmissionRecord } from '../../../ports/submission'

type Content = Pick<Submission, 'data' | 'envelope' | 'before'>

/** Returns everything except the form's content, as text. Omits parts that are empty in most submissions. */
export function recordOf(submission: Submission): string {
  const { reminded, edited, cards, decision, work, delivered, failures } = submission
  return JSON.stringify({
    ...submission, data: undefined, envelope: undefined, before: undefined,
    reminded: reminded || undefined, decision: decision ?? undefined, edited: omitEmpty(edited),
    cards: omitEmpty(cards), work: omitEmpty(work), delivered: omitEmpty(delivered), failures: omitEmpty(failures),
  })
}

function omitEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}

/** @param text made by `recordOf`; older versions omitted nothing */
export function recordIn(text: string): SubmissionRecord {
  const defaults = { reminded: false, edited: [], cards: [], decision: null, work: [], delivered: [], failures: [] }
  return { ...defaults, ...JSON.parse(text) as Omit<SubmissionRecord, keyof typeof defaults> }
}

/** Returns the form's content as text: data, or a list of data, envelope, earlier data. Redis deletes it on time. */
export function serializeContent({ data, envelope, before }: Submission): string {
  if (before) return JSON.stringify([data, envelope ?? null, before])
  return JSON.stringify(envelope ? [data, envelope] : data)
}

/** @param text made by `serializeContent`; null if it was erased */
export function contentIn(text: string | null | undefined, parse: (text: string) => unknown): Content {
  const content = text ? parse(text) as SubmissionData | [SubmissionData, Envelope | null, SubmissionData?] : null
  if (!Array.isArray(content)) return { data: content as SubmissionData | null }
  const [data, envelope, before] = content as [SubmissionData, Envelope | null, SubmissionData?]
  return { data, ...envelope && { envelope }, ...before && { before } }
}

// One hash tag: in a cluster all keys are in one slot, so that one script may use several.
export const LISTS: Record<List, string> = { pending: '{triage}:pending', held: '{triage}:held', spam: '{triage}:spam' }
export const DUE = '{triage}:due'
export const STUCK = '{triage}:stuck'
export const TAKEN = '{triage}:taken'
export const AUDIT = '{triage}:audit'
export const recordKey = (id: string) => `{triage}:s:${id}`
export const dataKey = (id: string) => `{triage}:d:${id}`
/** Open edit forms, by id. */
export const draftsKey = (id: string) => `{triage}:e:${id}`
export const tallyKey = (at: number) => `{triage}:tally:${hourOf(at)}`
export const idempotencyKeyOf = (digest: string) => `{triage}:i:${digest}`

/**
 * Returns the channel on which every change is announced, by id. Redis delivers announcements across all its databases,
 * and other deployments may use other databases. So each database but the first has a channel of its own.
 */
export function changesChannel({ options: { database = 0 } }: Pick<RedisClient, 'options'>): string {
  return database === 0 ? '{triage}:changes' : `{triage}:changes:${database}`
}
