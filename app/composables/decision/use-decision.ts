import type { DecisionQuestion, AtOnce, Deciding, DecisionRequest, DecisionAnswer } from '../submission/use-submission'

interface DecisionContext {
  id: string
  submission: Readonly<Ref<SubmissionDetails | null>>
  ended: Readonly<Ref<{ message: string } | null>>
  decide: (request: DecisionRequest) => Promise<DecisionAnswer>
  refresh: () => Promise<void>
  /** Opens the next submission; false if this one stays. */
  goOn: () => Promise<boolean>
  /** Opens the next submission during the decision. False if none is known, or if the decision may take long. */
  leave: (answer: Promise<unknown>) => boolean
}

/** The decision that the user has begun; asks for confirmation only before irreversible ones. */
export function useDecision({ id, submission, ended, decide, refresh, goOn, leave }: DecisionContext) {
  const { begin, say, fail, failed, tell, undoing } = useDone()
  /** Includes the submission as it was then: form and dialog stay open whatever happens meanwhile. */
  const question = shallowRef<DecisionQuestion<Deciding> | null>(null)
  const editing = computed(() => question.value?.what === 'edit' ? question.value.submission : null)
  const asking = computed(() => question.value?.what === 'edit' ? null : question.value as DecisionQuestion | null)
  const dirty = ref(false)
  const over = computed(() => {
    if (!question.value) return null
    const { what, submission: snapshot } = question.value
    const current = submission.value
    if (what === 'erase' && current?.mayErase) {
      return snapshot.state === 'held' && current.state !== 'held' ? 'Somebody released it meanwhile.' : null
    }
    if (ended.value) return ended.value.message
    return !current || current.open ? null : here(current.notes[0] ?? 'Somebody decided meanwhile.')
  })
  let [isBusy, isActing] = [false, false]
  /** Element that had the focus before the question */
  let opener: HTMLElement | null = null
  let isLeft = false
  onBeforeUnmount(() => isLeft = true)
  const focusHeading = () => !isLeft && document.querySelector<HTMLElement>('main h1')?.focus()

  async function ask(what: Deciding) {
    const snapshot = submission.value
    if (!snapshot || isBusy) return
    opener = document.activeElement as HTMLElement | null
    if ((what === 'forward' || what === 'spam') && snapshot.revocableMs[what] > 0) return decideAtOnce(what, snapshot)
    question.value = { what, submission: snapshot }
  }

  async function decideAtOnce(what: 'forward' | 'spam', snapshot: SubmissionDetails) {
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
    what: Deciding | AtOnce, request: DecisionRequest, snapshot: SubmissionDetails,
  ): Promise<DecisionAnswer | null> {
    const askedQuestion = question.value
    const answer = decide(request)
    // With another assignee the server first warns or refuses: wait for its answer.
    const isFree = snapshot.holder === null || snapshot.taking === 'hand-back'
    const isInBackground = (what === 'forward' || what === 'spam') && isFree && leave(answer)
    const number = isInBackground ? begin() : undefined
    const outcome = answer.then((result) => {
      const isUserElsewhere = isInBackground || isLeft || (askedQuestion !== null && question.value !== askedQuestion)
      if (!isUserElsewhere) return result
      tell(id, what, result, snapshot.revocableMs[what === 'spam' ? 'spam' : 'forward'], number)
      void refresh()
      return null
    })
    return isInBackground ? null : outcome
  }

  /** Announces a decision and goes on. The pressed button is about to disappear, so it gets no focus back. */
  async function decided(action: Deciding | AtOnce) {
    question.value = null
    dirty.value = false
    opener = null
    const snapshot = submission.value
    // Show the next submission first.
    setTimeout(() => say(id, action, snapshot?.revocableMs[action === 'spam' ? 'spam' : 'forward']))
    if (STAYING_ACTIONS.has(action) || !await goOn()) focusHeading()
    void refresh()
  }

  /** Does an action at once. A user who is editing keeps what they typed. */
  async function act(action: AtOnce) {
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

  /** Sends the confirmed decision. After one that came too late, opens the next submission if there is one. */
  async function confirmed(action: Exclude<Deciding, 'edit'>, to: string): Promise<DecisionAnswer | null> {
    const request = action === 'resend' ? { action, to } : { action }
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

  /** The focused element is removed with the form. */
  async function cancel() {
    if (dirty.value && !over.value && !confirm('Throw away what you typed?')) return
    dirty.value = false
    if (!await close()) focusHeading()
  }

  /** The dialog has released the focus. */
  function closed() {
    if (opener?.isConnected) opener.focus()
    else focusHeading()
  }

  return {
    editing, asking, dirty, over, ask, act, edit, confirmed, decided, close, cancel, closed, undoing,
  }
}

/** Actions after which the submission stays open on the page, because there is more to do with it */
const STAYING_ACTIONS = new Set<Deciding | AtOnce>(['undo', 'reopen', 'release', 'take', 'hand-back'])
