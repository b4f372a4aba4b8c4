import { HeldNotice } from '../domain/cards/card-queue'
import type { Context } from '../domain/context'
import type { SubmissionFiles } from '../domain/files/submission-files'
import type { Alerts } from '../domain/operations/alerts'
import type { Storage } from '../domain/operations/readiness'
import { Retries } from '../domain/outbox/retries'
import { Deliveries } from '../domain/outbox/send-again'
import { postRefusedAgain, sweep } from '../domain/outbox/sweep'
import type { OpsSubmissions } from '../domain/queries/ops-submissions'
import { orUnavailable } from '../domain/queries/rows'
import { memoizeAsync } from '../../shared/utils/turns'
import type { Triage } from './triage'

interface DueWorkParts {
  opsSubmissions: OpsSubmissions
  storage: Storage
  alerts: Alerts
  files: SubmissionFiles
  serverless: boolean
  /** Work of the bot that is due: questions of the agent, messages behind a stalled reply */
  sweepBot: () => (Promise<unknown> | undefined)[]
}

/** The sweep, which does whatever is due, and the retries that an operator asks for. */
export function createDueWork(
  context: Context, { outbox, reviewers }: Triage,
  { opsSubmissions, storage, alerts, files, serverless, sweepBot }: DueWorkParts,
) {
  const sweepDue = () => sweep(context, outbox, reviewers)
  const quarantineNotice = new HeldNotice(context)
  const postAgain = memoizeAsync(() => postRefusedAgain(context, outbox))
  return {
    retries: new Retries(context, outbox, opsSubmissions, sweepDue),
    deliveries: new Deliveries(context, opsSubmissions, sweepDue),
    sweep: async () => {
      outbox.queue.wake()
      outbox.rests.wake()
      // Check the store even if the rest fails: the status page shows since when it is down.
      const checked = storage.check()
      // Not awaited: a slow way must not delay the work. Without the store it must run all the same.
      context.runtime.background(checked.then(() => alerts.tell()))
      files.sweep()
      if (!serverless) await orUnavailable(postAgain())
      const others = Promise.all([...sweepBot(), quarantineNotice.tell(), checked])
      others.catch(() => { /* Not awaited if the store is down. */ })
      const taken = await orUnavailable(sweepDue())
      await others
      return taken
    },
  }
}
