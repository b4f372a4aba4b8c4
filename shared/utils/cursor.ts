/** Returns a cursor: the next page begins below the entry with this time, epoch ms, and this id. */
export function cursorAt(at: number, id: string): string {
  return `${at}-${id}`
}

/** Null for a text that is not a cursor. */
export function readCursor(cursor: string): { at: number, id: string } | null {
  const [, at, id] = /^(\d{1,15})-(.+)$/.exec(cursor) ?? []
  return at && id ? { at: Number(at), id } : null
}
