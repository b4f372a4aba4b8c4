import type { ActionId, AskingAction, InputAction } from '../../../shared/actions'

/** Question to confirm a decision, with the submission as it was when the question opened */
export interface DecisionQuestion<What extends AskingAction = Exclude<AskingAction, 'edit'>> {
  what: What
  submission: SubmissionDetails
  /** Reason why the action was not done at once */
  refused?: string
}

export type DecisionRequest
  = | { action: Exclude<ActionId, InputAction> }
    | { action: 'edit', values: Record<string, string> }
    | { action: 'resend', to: string }

/** Outcome of a decision. `late`: somebody else decided first, or the submission is over; `message` says who. */
export type DecisionAnswer
  = | { decided: true }
    | { decided: false, message: string, late: boolean, errors: Record<string, string> }

export const submissionPath = (id: string) => `/api/submissions/${encodeURIComponent(id)}`

/** True if the submission never existed, or is over. */
export const isOverNow = (error: unknown) => [404, 410].includes(statusOf(error))

/** Decides a submission as the viewer, once. */
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

/** One submission, kept current, with its decisions */
export function useSubmission(id: string) {
  let preloaded = takeAhead(id)
  /** The submission, or what is still known of one that is over */
  const submission = shallowRef(preloaded)
  /** How it ended, once it is over; `how` is null for an unknown submission */
  const ended = ref<{ how: string | null, message: string } | null>(null)
  /** True if it cannot be shown, only erased */
  const unreadable = ref(false)
  const path = submissionPath(id)
  const { problem, refresh } = useRefresh(async () => {
    // The preloaded copy is used once; later changes come as events.
    if (preloaded) return void (preloaded = null)
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

  /** Decides. After a success the caller reloads the submission if it is still shown. */
  async function decide(request: DecisionRequest): Promise<DecisionAnswer> {
    const result = await decideOn(id, request)
    if (!result.decided) void refresh()
    return result
  }

  /** Posts cards again that their platforms refused; resolves with the error message, or null. */
  async function postAgain(): Promise<string | null> {
    return askOnce(`${path}/cards`, {}).then(() => null, errorLine).finally(() => void refresh())
  }

  return { submission, ended, problem, unreadable, refresh, decide, postAgain }
}

function statusOf(error: unknown): number {
  return (error as { statusCode?: number }).statusCode ?? 0
}
