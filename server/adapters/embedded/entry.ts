import type { Submission } from '../../ports/submission'

/** What is asked of a submission without reading its file. */
export interface Entry {
  id: string
  version: number
  state: Submission['state']
  receivedAt: number
  due: number
  stuck: boolean
}

/** A page of the list, as `SubmissionStore.listPending` gives it out. */
export function pageOf(all: Entry[], limit: number, before: string): { places: Entry[], cursor: string | null } {
  const sorted = all.sort(newestFirst)
  const [, time, id] = /^(\d{1,16})-(.+)$/.exec(before) ?? []
  const below = time && id ? sorted.filter(place => newestFirst(place, { receivedAt: Number(time), id }) > 0) : sorted
  const places = below.slice(0, limit)
  const last = places.at(-1)
  return { places, cursor: last && below.length > limit ? `${last.receivedAt}-${last.id}` : null }
}

/** Order of the list of pending submissions. */
export function newestFirst(a: Pick<Entry, 'receivedAt' | 'id'>, b: Pick<Entry, 'receivedAt' | 'id'>): number {
  return b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}
