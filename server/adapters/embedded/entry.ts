/** What is asked of a submission without reading its file. */
export interface Entry {
  id: string
  version: number
  pending: boolean
  receivedAt: number
  due: number
  stuck: boolean
}

/** Order of the list of pending submissions. */
export function newestFirst(a: Pick<Entry, 'receivedAt' | 'id'>, b: Pick<Entry, 'receivedAt' | 'id'>): number {
  return b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}
