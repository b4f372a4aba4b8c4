import { createGlobalState, useSessionStorage } from '@vueuse/core'
import type { ListFilter } from './use-list-place'

type QueueRow = Pick<Row, 'id' | 'state' | 'open'>

interface Queue {
  rows: QueueRow[]
  /** Of what follows the last row; null when nothing does. */
  cursor: string | null
  /** What the list was asked for. */
  filter: ListFilter
}

/** The rows of the list that was looked at last in this tab, which keeps them when it is loaded again. */
export const useQueueRows = createGlobalState(() => (
  useSessionStorage<Queue>('queue', { rows: [], cursor: null, filter: {} }, { onError: () => {} })
))

export function queueOf({ rows, cursor }: RowPage, filter: Queue['filter']): Queue {
  return { rows: rows.map(inQueue), cursor, filter }
}

export const inQueue = ({ id, state, open }: Row): QueueRow => ({ id, state, open })
