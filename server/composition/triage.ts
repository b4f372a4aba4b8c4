import { createBoard } from '../adapters/chat/board'
import type { Config } from '../config'
import { CardQueue } from '../domain/cards/card-queue'
import type { Presentation } from '../domain/cards/card-view'
import { Outbox, type OutboxPorts } from '../domain/outbox/outbox'
import type { People } from '../domain/people/people'
import { Reviewers } from '../domain/people/reviewers'
import { Decisions } from '../domain/review/decisions'
import type { Connection } from '../platforms/connection'
import type { Stores } from './stores'
import type { Chat } from 'chat'

interface TriageParts
  extends Pick<OutboxPorts, 'mailer' | 'template' | 'files' | 'ended' | 'runtime' | 'monitor' | 'log'>,
  Pick<Stores, 'store' | 'queues' | 'confirmations'> {
  config: Config
  connections: readonly Connection[]
  bot: () => Promise<Chat>
  people: People
  presentation: Presentation
}

/** The core of the service: cards, their queue, the outbox, and decisions. */
export function createTriage({ config, connections, bot, people, queues, ...parts }: TriageParts) {
  const { store, presentation, runtime, monitor, log } = parts
  const policy = config.retry
  const board = createBoard(connections, bot, log, config.cardIntervalMs, presentation.texts)
  const queue = new CardQueue({
    queues, board, forms: presentation.forms, post: (...card) => outbox.post(...card), policy,
    overviewUrl: presentation.siteUrl, texts: presentation.texts, runtime, log,
  })
  const outbox: Outbox = new Outbox({
    ...parts, board, queue, policy, cardDataMs: config.cardDataMs, mail: config.mail,
  })
  const reviewers = new Reviewers({ board, people, runtime, monitor, log })
  const decisions = new Decisions({
    store, outbox, board, reviewers, presentation, revocableMs: config.revocableMs,
    claimMs: config.people.claimMs ?? 0, runtime, monitor, log,
  })
  return { board, queue, outbox, reviewers, decisions }
}
