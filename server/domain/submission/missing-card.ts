import type { Line } from '../../../shared/types/line'
import { onDate, said } from '../../../shared/utils/line'
import type { HistoryEntry, Submission, Work } from '../../ports/submission'
import { UNDELIVERED_PAUSE_MS } from './backoff'
import type { EventOf, Transition } from './events'
import { changed, sameCard, withEntry } from './record'
import type { Clock } from './settle'

/**
 * Its room gets another card, once: whoever deletes that one, too, means it. One that never arrived is posted until one
 * does, as what the platform refuses is.
 */
export function missCard(
  current: Submission, { card, room, undelivered }: EventOf<'card-deleted'>, { now, leasedUntil }: Clock,
): Transition {
  const isOnRecord = current.cards.some(other => sameCard(other, card))
  if (current.state !== 'open' || !isOnRecord) return { refused: 'unknown-work' }
  const isFirst = !current.history.some(entry => (
    entry.event === 'card-deleted' && entry.room === room && !entry.hasAnother
  ))
  const isWanted = isFirst || undelivered !== undefined
  const work = current.work.filter(({ card: of }) => !of || !sameCard(of, card))
  const isMissing = room !== null && isWanted && !work.some(({ kind, room: of }) => kind === 'post' && of === room)
  const when = undelivered === undefined
    ? { attempts: 0, dueAt: leasedUntil }
    : { attempts: 1, dueAt: now + UNDELIVERED_PAUSE_MS, reason: undelivered }
  const added: Work[] = isMissing
    ? [{ key: `post:${room}#${current.version + 1}`, kind: 'post', room, ...when }]
    : []
  const where = room ?? card.platform
  const history = undelivered === undefined
    ? withEntry(current, {
        at: now, event: 'card-deleted', room: where, ...room === null && { hasAnother: true as const },
      })
    : withEntry({ ...current, history: current.history.filter(entry => !isPosted(entry, where)) }, {
        at: now, event: 'failed', kind: 'post', room: where, reason: undelivered, again: added[0]?.dueAt ?? null,
      })
  const next = changed(current, {
    cards: current.cards.filter(other => !sameCard(other, card)), work: [...work, ...added], history,
  })
  return { added: undelivered === undefined ? added : [], next }
}

function isPosted(entry: HistoryEntry, where: string): boolean {
  return entry.event === 'posted' && entry.room === where
}

export function deletionNotes({ history }: Submission): Line[] {
  const last = history.findLast(({ event }) => event === 'card-deleted')
  return last ? [said`An earlier card of it was deleted, ${onDate(last.at)}`] : []
}
