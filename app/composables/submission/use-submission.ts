/** What somebody has begun to decide. */
export type Deciding = 'forward' | 'resend' | 'edit' | 'spam' | 'erase'

/** A decision that is asked about once more, with the submission as it was then. */
export interface DecisionQuestion<What extends Deciding = Exclude<Deciding, 'edit'>> {
  what: What
  submission: SubmissionDetails
  /** Why it was not done at once. */
  refused?: string
}

/** What is done without being asked once more. */
export type AtOnce = 'release' | 'undo' | 'reopen' | 'take' | 'hand-back'

export type DecisionRequest
  = | { action: 'forward' | 'spam' | 'erase' | AtOnce }
    | { action: 'edit', values: Record<string, string> }
    | { action: 'resend', to: string }

/** What became of a decision. `late`: somebody else was faster, or it is over; `message` says who. */
export type DecisionAnswer
  = | { decided: true }
    | { decided: false, message: string, late: boolean, errors: Record<string, string> }

export const submissionPath = (id: string) => `/api/submissions/${encodeURIComponent(id)}`

/** It never was, or it is over. */
export const isOverNow = (error: unknown) => [404, 410].includes(statusOf(error))

/** Decides a submission as the person who looks, once. */
export async function decideOn(id: string, request: DecisionRequest): Promise<DecisionAnswer> {
  try {
    await askOnce(`${submissionPath(id)}/decision`, request, () => isUnderWay(id))
    return { decided: true }
  }
  catch (error) {
    const errors = (error as { data?: { errors?: Record<string, string> } }).data?.errors ?? {}
    return { decided: false, message: errorLine(error), late: [404, 409, 410].includes(statusOf(error)), errors }
  }
}

/** One submission, kept current, and what can be decided about it. */
export function useSubmission(id: string) {
  let ahead = takeAhead(id)
  /** Of one that is over, what is still known. */
  const submission = shallowRef(ahead)
  /** How it ended, once it is over; an unknown one has no `how`. */
  const ended = ref<{ how: string | null, message: string } | null>(null)
  /** It cannot be shown, only erased. */
  const unreadable = ref(false)
  const path = submissionPath(id)
  const { problem, refresh } = useRefresh(async () => {
    // Whether it has changed since is for the events to tell.
    if (ahead) return void (ahead = null)
    try {
      submission.value = await askOps<SubmissionDetails>(path)
      ended.value = null
      unreadable.value = false
      if (submission.value.mayDecide === null) throw new Error(UNSURE)
    }
    catch (error) {
      unreadable.value = (error as { data?: { code?: string } }).data?.code === 'SUBMISSION_UNREADABLE'
      if (!isOverNow(error)) throw error
      const message = errorLine(error)
      ended.value = { how: statusOf(error) === 410 ? message : null, message }
      submission.value = (error as { data?: { submission?: SubmissionDetails } }).data?.submission ?? null
    }
  })

  /** What was decided is asked for by whoever stays. */
  async function decide(request: DecisionRequest): Promise<DecisionAnswer> {
    const result = await decideOn(id, request)
    if (!result.decided) void refresh()
    return result
  }

  /** Has the cards posted again that their platforms refused; resolves with what went wrong. */
  async function postAgain(): Promise<string | null> {
    return askOnce(`${path}/cards`, {}).then(() => null, errorLine).finally(() => void refresh())
  }

  return { submission, ended, problem, unreadable, refresh, decide, postAgain }
}

function statusOf(error: unknown): number {
  return (error as { statusCode?: number }).statusCode ?? 0
}
