/** What somebody has begun to decide. */
export type Deciding = 'forward' | 'edit' | 'spam' | 'delete'

export type DecisionRequest = { action: 'forward' | 'spam' } | { action: 'edit', values: Record<string, string> }

/** What can be done about a submission that is held. */
export type HeldRequest = 'release' | 'delete'

/** What became of a decision. `late`: somebody else was faster, or it is over; `message` says who. */
export type DecisionResult
  = | { decided: true }
    | { decided: false, message: string, late: boolean, errors: Record<string, string> }

/** One submission, kept current, and what can be decided about it. */
export function useSubmission(id: string) {
  const submission = shallowRef<SubmissionDetails | null>(null)
  /** How it ended, once it is over; an unknown one has no `how`. */
  const ended = ref<{ how: string | null, message: string } | null>(null)
  const path = `/api/submissions/${encodeURIComponent(id)}`
  const { problem, refresh } = useRefresh(async () => {
    try {
      submission.value = await askOps<SubmissionDetails>(path)
      ended.value = null
    }
    catch (error) {
      const status = statusOf(error)
      if (status !== 404 && status !== 410) throw error
      const message = errorLine(error)
      ended.value = { how: status === 410 ? message : null, message }
      submission.value = null
    }
  })

  function decide(request: DecisionRequest): Promise<DecisionResult> {
    return done(askOps(`${path}/decision`, request))
  }

  function judge(request: HeldRequest): Promise<DecisionResult> {
    if (request === 'delete') return done(askOps(path, undefined, { method: 'DELETE' }))
    return done(askOps(`${path}/decision`, { action: request }))
  }

  async function done(asked: Promise<unknown>): Promise<DecisionResult> {
    try {
      await asked
      return { decided: true }
    }
    catch (error) {
      const errors = (error as { data?: { errors?: Record<string, string> } }).data?.errors ?? {}
      return { decided: false, message: errorLine(error), late: [404, 409].includes(statusOf(error)), errors }
    }
    finally {
      void refresh()
    }
  }

  /** Has the cards posted again that their platforms refused; resolves with what went wrong. */
  async function postAgain(): Promise<string | null> {
    return askOps(`${path}/cards`, {}).then(() => null, errorLine).finally(() => void refresh())
  }

  return { submission, ended, problem, refresh, decide, judge, postAgain }
}

function statusOf(error: unknown): number {
  return (error as { statusCode?: number }).statusCode ?? 0
}
