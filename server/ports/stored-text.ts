import { UnreadableRecord } from './store'
import type { Envelope, Submission, SubmissionData, SubmissionRecord } from './submission'

// The texts in which every store keeps submissions, so that they can be copied from one store to another.

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

/** Returns the form's content as text: data, or a list of data, envelope, earlier data. It has an end of its own. */
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

/** Reads texts of submissions. One that cannot be read does not affect the others. */
export class StoredTexts {
  private readonly reportedIds = new Set<string>()

  constructor(private readonly options: ReadingOptions) {}

  /** @param content null if it was erased */
  submission(id: string, record: string, content: string | null): Submission | UnreadableRecord {
    return this.readOrReport(id, () => ({ ...recordIn(record), ...contentIn(content, this.options.parse) }), record)
  }

  record(id: string, record: string): SubmissionRecord | UnreadableRecord {
    return this.readOrReport(id, () => recordIn(record))
  }

  /** Omits the parser's error: it quotes the text, which may come from a form. */
  private readOrReport<Kept>(id: string, read: () => Kept, record?: string): Kept | UnreadableRecord {
    try {
      return read()
    }
    catch {
      const error = new UnreadableRecord(id, readRecord(record))
      if (!this.reportedIds.has(id)) this.options.unreadable?.(error)
      this.reportedIds.add(id)
      return error
    }
  }
}

export interface ReadingOptions {
  /** Parses the JSON of form data without changing a value. */
  parse: (text: string) => unknown
  /** Called once for each submission that cannot be read. */
  unreadable?: (error: UnreadableRecord) => void
}

function readRecord(text: string | undefined): SubmissionRecord | null {
  try {
    return text ? recordIn(text) : null
  }
  catch {
    return null
  }
}
