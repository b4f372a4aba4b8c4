/** Where a page of a list goes on: below what has this time, epoch ms, and this id. */
export function cursorAt(at: number, id: string): string {
  return `${at}-${id}`
}

/** Null for what no list ever gave out. */
export function readCursor(cursor: string): { at: number, id: string } | null {
  const [, at, id] = /^(\d{1,15})-(.+)$/.exec(cursor) ?? []
  return at && id ? { at: Number(at), id } : null
}
