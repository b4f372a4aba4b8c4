import type { Config } from '../config'
import { CardQueue } from '../domain/cards/card-queue'
import type { Context } from '../domain/context'
import { Outbox } from '../domain/outbox/outbox'
import { People } from '../domain/people/people'
import { Reviewers } from '../domain/people/reviewers'
import { Decisions } from '../domain/review/decisions'

export type Triage = ReturnType<typeof createTriage>

/**
 * The core of the service: the outbox with the queue of cards, people, and decisions.
 *
 * @param ended called when form data is gone, so that copies elsewhere can be erased, too
 */
export function createTriage({ people: { aliases } }: Config, context: Context, ended: (id: string) => void) {
  const queue = new CardQueue(context, (...card) => outbox.post(...card))
  const outbox: Outbox = new Outbox(context, queue, ended)
  const people = new People(aliases)
  const reviewers = new Reviewers(context, people)
  return { outbox, people, reviewers, decisions: new Decisions(context, outbox, reviewers) }
}
