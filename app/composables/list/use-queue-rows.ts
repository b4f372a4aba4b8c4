import { createGlobalState, useSessionStorage } from '@vueuse/core'
import type { ListFilter } from './use-list-place'

export type QueueRow = Pick<Row, 'id' | 'state' | 'open'>

interface Queue {
  rows: QueueRow[]
  /** Cursor of the rows after the last one; null if there are none */
  cursor: string | null
  /** Filter of the list */
  filter: ListFilter
}

/** Rows of the list last shown in this tab, kept across reloads */
export const useQueueRows = createGlobalState(() => (
  useSessionStorage<Queue>('queue', { rows: [], cursor: null, filter: {} }, { onError: () => {} })
))

export function queueOf({ rows, cursor }: RowPage, filter: Queue['filter']): Queue {
  return { rows: rows.map(inQueue), cursor, filter }
}

export const inQueue = ({ id, state, open }: Row): QueueRow => ({ id, state, open })
