import type { Line } from '../../../shared/types/line'
import { said } from '../../../shared/utils/line'
import type { Submission, Work } from '../../ports/submission'
import type { EventOf, Transition } from './events'
import { changed, sameCard, withEntry } from './record'
import type { Clock } from './settle'
import { onDate } from './times'

/** Its room gets another card, once: whoever deletes that one, too, means it. */
export function missCard(
  current: Submission, { card, room }: EventOf<'card-deleted'>, { now, leasedUntil }: Clock,
): Transition {
  const isOnRecord = current.cards.some(other => sameCard(other, card))
  if (current.state !== 'open' || !isOnRecord) return { refused: 'unknown-work' }
  const isFirst = !current.history.some(entry => (
    entry.event === 'card-deleted' && entry.room === room && !entry.hasAnother
  ))
  const work = current.work.filter(({ card: of }) => !of || !sameCard(of, card))
  const isMissing = room !== null && isFirst && !work.some(({ kind, room: of }) => kind === 'post' && of === room)
  const added: Work[] = isMissing
    ? [{ key: `post:${room}#${current.version + 1}`, kind: 'post', room, attempts: 0, dueAt: leasedUntil }]
    : []
  return { added, next: changed(current, {
    cards: current.cards.filter(other => !sameCard(other, card)), work: [...work, ...added],
    history: withEntry(current, {
      at: now, event: 'card-deleted', room: room ?? card.platform, ...room === null && { hasAnother: true as const },
    }),
  }) }
}

export function deletionNotes({ history }: Submission): Line[] {
  const last = history.findLast(({ event }) => event === 'card-deleted')
  return last ? [said`An earlier card of it was deleted, ${onDate(last.at)}`] : []
}
