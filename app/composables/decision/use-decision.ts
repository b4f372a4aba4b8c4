import {
  ACTIONS, isInstant, isPlainDecision, opensForm, type ActionId, type AskingAction, type InstantAction,
} from '../../../shared/actions'
import type { DecisionQuestion, DecisionRequest, DecisionAnswer } from '../submission/use-submission'

interface DecisionContext {
  id: string
  submission: Readonly<Ref<SubmissionDetails | null>>
  ended: Readonly<Ref<{ message: string } | null>>
  decide: (request: DecisionRequest) => Promise<DecisionAnswer>
  refresh: () => Promise<void>
  /** Opens the next submission; false if this one stays. */
  goOn: () => Promise<boolean>
  /** Opens the next submission while the decision is sent. False if none is known, or if the decision may take long. */
  leave: (answer: Promise<unknown>) => boolean
}

/** The decision that the user has begun; only irreversible decisions need a confirmation. */
export function useDecision({ id, submission, ended, decide, refresh, goOn, leave }: DecisionContext) {
  const { begin, say, fail, failed, tell, undoing } = useDone()
  /** Question with a copy of the submission, so that form and dialog stay open even if the submission changes */
  const question = shallowRef<DecisionQuestion<AskingAction> | null>(null)
  const editing = computed(() => question.value?.what === 'edit' ? question.value.submission : null)
  const asking = computed(() => question.value?.what === 'edit' ? null : question.value as DecisionQuestion | null)
  const dirty = ref(false)
  const over = computed(() => {
    if (!question.value) return null
    const { what, submission: snapshot } = question.value
    const current = submission.value
    // Actions that are not decisions stay possible after somebody else's decision.
    if (!ACTIONS[what].decides && current && offersOn(current).includes(what)) {
      return snapshot.state === 'held' && current.state !== 'held' ? 'Somebody released it in the meantime.' : null
    }
    if (ended.value) return ended.value.message
    return !current || current.open ? null : here(current.notes[0] ?? 'Somebody decided it in the meantime.')
  })
  let [isBusy, isActing] = [false, false]
  /** Element that had the focus before the question */
  let opener: HTMLElement | null = null
  let isLeft = false
  onBeforeUnmount(() => isLeft = true)
  const focusHeading = () => !isLeft && document.querySelector<HTMLElement>('main h1')?.focus()

  async function ask(what: AskingAction) {
    const snapshot = submission.value
    if (!snapshot || isBusy) return
    opener = document.activeElement as HTMLElement | null
    if (isPlain(what) && revocableMs(what, snapshot) > 0) return decideAtOnce(what, snapshot)
    question.value = { what, submission: snapshot }
  }

  async function decideAtOnce(what: PlainAsking, snapshot: SubmissionDetails) {
    isBusy = true
    const result = await send(what, { action: what }, snapshot).finally(() => isBusy = false)
    if (!result) return
    if (result.decided) return decided(what)
    if (!result.late) return void (question.value = { what, submission: snapshot, refused: result.message })
    fail('Already decided', result.message)
    if (!await goOn()) focusHeading()
  }

  /** Sends a decision. Null if the user has left by then: the outcome is announced when it arrives. */
  async function send(
    what: ActionId, request: DecisionRequest, snapshot: SubmissionDetails,
  ): Promise<DecisionAnswer | null> {
    const askedQuestion = question.value
    const answer = decide(request)
    // If somebody else is the assignee, the server warns or refuses: wait for its answer.
    const isFree = snapshot.holder === null || snapshot.taking !== null
    const isInBackground = isPlain(what) && isFree && leave(answer)
    const number = isInBackground ? begin() : undefined
    const outcome = answer.then((result) => {
      const isUserElsewhere = isInBackground || isLeft || (askedQuestion !== null && question.value !== askedQuestion)
      if (!isUserElsewhere) return result
      tell(id, what, result, revocableMs(what, snapshot), number)
      void refresh()
      return null
    })
    return isInBackground ? null : outcome
  }

  /** Announces a decision and goes on. The pressed button is about to disappear, so it gets no focus back. */
  async function decided(action: ActionId) {
    question.value = null
    dirty.value = false
    opener = null
    const snapshot = submission.value
    // Show the next submission first.
    setTimeout(() => say(id, action, snapshot ? revocableMs(action, snapshot) : 0))
    // Stay here after an action without a question: there is more to do with the submission.
    if (isInstant(action) || !await goOn()) focusHeading()
    void refresh()
  }

  /** Does an action at once. Text typed in an open edit form stays. */
  async function act(action: InstantAction) {
    if (isActing) return
    isActing = true
    const result = await send(action, { action }, submission.value ?? question.value!.submission)
      .finally(() => isActing = false)
    if (!result) return
    if (!result.decided) failed(action, result.message)
    else if (!editing.value) await decided(action)
    else {
      say(id, action)
      void refresh()
    }
  }

  const edit = (request: DecisionRequest) => send('edit', request, question.value!.submission)

  /** Sends the confirmed decision. If it came too late, opens the next submission if there is one. */
  async function confirmed(action: DecisionQuestion['what'], to: string): Promise<DecisionAnswer | null> {
    const request = opensForm(action) ? { action, to } : { action }
    const result = await send(action, request, question.value!.submission)
    if (result && !result.decided && result.late && await goOn()) fail('Already decided', result.message)
    return result
  }

  /** Closes the question. A user who was too late has read why, and goes on to the next submission. */
  async function close() {
    const isOver = over.value !== null
    stopWaitingHere()
    question.value = null
    return isOver && await goOn()
  }

  /** Closes the form and moves the focus, because the focused element is removed. */
  async function cancel() {
    if (dirty.value && !over.value && !confirm('Throw away what you typed?')) return
    dirty.value = false
    if (!await close()) focusHeading()
  }

  /** Called when the dialog has released the focus. */
  function closed() {
    if (opener?.isConnected) opener.focus()
    else focusHeading()
  }

  return {
    editing, asking, dirty, over, ask, act, edit, confirmed, decided, close, cancel, closed, undoing,
  }
}

type PlainAsking = Exclude<DecisionQuestion['what'], 'resend'>

function isPlain(action: ActionId): action is PlainAsking {
  return isPlainDecision(ACTIONS[action])
}

/** Time in which the action can be taken back, ms; 0 if it cannot. */
function revocableMs(action: ActionId, { revocableMs }: SubmissionDetails): number {
  const { decides } = ACTIONS[action]
  return decides ? revocableMs[decides] : 0
}
