import { HeldNotice } from '../domain/cards/quarantine-notice'
import type { CardQueue } from '../domain/cards/card-queue'
import type { SubmissionFiles } from '../domain/files/submission-files'
import type { Storage } from '../domain/operations/readiness'
import { Retries, type RetriesPorts } from '../domain/outbox/retries'
import { postRefusedAgain, sweep, type SweepPorts } from '../domain/outbox/sweep'
import { orUnavailable } from '../domain/queries/rows'
import { memoizeAsync } from '../../shared/utils/turns'
import type { ReviewBoard } from '../ports/board'
import type { CardQueueStore } from '../ports/card-queue'

interface DueWorkParts extends SweepPorts, Omit<RetriesPorts, 'sweep'> {
  board: ReviewBoard
  queues: CardQueueStore
  queue: CardQueue
  storage: Storage
  files: SubmissionFiles
  serverless: boolean
  /** Work of the bot that is due: questions of the agent, messages behind a stalled reply */
  sweepBot: () => (Promise<unknown> | undefined)[]
}

/** The sweep, which does whatever is due, and the retries that an operator asks for. */
export function createDueWork({ queues, queue, storage, files, serverless, sweepBot, ...ports }: DueWorkParts) {
  const sweepDue = () => sweep(ports)
  const quarantineNotice = new HeldNotice({ ...ports, queues })
  const postAgain = memoizeAsync(() => postRefusedAgain(ports))
  return {
    retries: new Retries({ ...ports, queue, sweep: sweepDue }),
    sweep: async () => {
      queue.wake()
      // Check the store even if the rest fails: the status page shows since when it is down.
      const checked = storage.check()
      files.sweep()
      if (!serverless) await orUnavailable(postAgain())
      const others = Promise.all([...sweepBot(), quarantineNotice.tell(), checked])
      others.catch(() => { /* If the store is down, nothing awaits them. */ })
      const taken = await orUnavailable(sweepDue())
      await others
      return taken
    },
  }
}
