import type { DecisionQuestion, AtOnce, Deciding, DecisionRequest, DecisionAnswer } from '../submission/use-submission'

interface Decided {
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
export function useDecision({ id, submission, ended, decide, refresh, goOn, leave }: Decided) {
  const { begin, say, fail, failed, tell, undoing } = useDone()
  /** Includes the submission as it was then: form and dialog stay open whatever happens meanwhile. */
  const begun = shallowRef<DecisionQuestion<Deciding> | null>(null)
  const editing = computed(() => begun.value?.what === 'edit' ? begun.value.submission : null)
  const asking = computed(() => begun.value?.what === 'edit' ? null : begun.value as DecisionQuestion | null)
  const dirty = ref(false)
  const over = computed(() => {
    if (!begun.value) return null
    const { what, submission: before } = begun.value
    const now = submission.value
    if (what === 'erase' && now?.mayErase) {
      return before.state === 'held' && now.state !== 'held' ? 'Somebody released it meanwhile.' : null
    }
    if (ended.value) return ended.value.message
    return !now || now.open ? null : here(now.notes[0] ?? 'Somebody decided meanwhile.')
  })
  let [isBusy, isActing] = [false, false]
  /** Element that had the focus before the question */
  let opener: HTMLElement | null = null
  let isLeft = false
  onBeforeUnmount(() => isLeft = true)
  const toHeading = () => !isLeft && document.querySelector<HTMLElement>('main h1')?.focus()

  async function ask(what: Deciding) {
    const shown = submission.value
    if (!shown || isBusy) return
    opener = document.activeElement as HTMLElement | null
    if ((what === 'forward' || what === 'spam') && shown.revocableMs[what] > 0) return straight(what, shown)
    begun.value = { what, submission: shown }
  }

  async function straight(what: 'forward' | 'spam', shown: SubmissionDetails) {
    isBusy = true
    const result = await send(what, { action: what }, shown).finally(() => isBusy = false)
    if (!result) return
    if (result.decided) return decided(what)
    if (!result.late) return void (begun.value = { what, submission: shown, refused: result.message })
    fail('Already decided', result.message)
    if (!await goOn()) toHeading()
  }

  /** Sends a decision. Null if the user has left by then: the outcome is announced when it arrives. */
  async function send(
    what: Deciding | AtOnce, request: DecisionRequest, shown: SubmissionDetails,
  ): Promise<DecisionAnswer | null> {
    const asked = begun.value
    const answer = decide(request)
    // With another assignee the server first warns or refuses: wait for its answer.
    const isFree = shown.holder === null || shown.taking === 'hand-back'
    const isBehind = (what === 'forward' || what === 'spam') && isFree && leave(answer)
    const number = isBehind ? begin() : undefined
    const told = answer.then((result) => {
      const isAside = isBehind || isLeft || (asked !== null && begun.value !== asked)
      if (!isAside) return result
      tell(id, what, result, shown.revocableMs[what === 'spam' ? 'spam' : 'forward'], number)
      void refresh()
      return null
    })
    return isBehind ? null : told
  }

  /** Announces a decision and goes on. The pressed button is about to disappear, so it gets no focus back. */
  async function decided(done: Deciding | AtOnce) {
    begun.value = null
    dirty.value = false
    opener = null
    const shown = submission.value
    // Show the next submission first.
    setTimeout(() => say(id, done, shown?.revocableMs[done === 'spam' ? 'spam' : 'forward']))
    if (STAYS.has(done) || !await goOn()) toHeading()
    void refresh()
  }

  /** Does an action at once. A user who is editing keeps what they typed. */
  async function act(action: AtOnce) {
    if (isActing) return
    isActing = true
    const result = await send(action, { action }, submission.value ?? begun.value!.submission)
      .finally(() => isActing = false)
    if (!result) return
    if (!result.decided) failed(action, result.message)
    else if (!editing.value) await decided(action)
    else {
      say(id, action)
      void refresh()
    }
  }

  const edit = (request: DecisionRequest) => send('edit', request, begun.value!.submission)

  /** Sends the confirmed decision. After one that came too late, opens the next submission if there is one. */
  async function confirmed(action: Exclude<Deciding, 'edit'>, to: string): Promise<DecisionAnswer | null> {
    const request = action === 'resend' ? { action, to } : { action }
    const result = await send(action, request, begun.value!.submission)
    if (result && !result.decided && result.late && await goOn()) fail('Already decided', result.message)
    return result
  }

  /** Closes the question. A user who was too late has read why, and goes on to the next submission. */
  async function close() {
    const isOver = over.value !== null
    stopWaitingHere()
    begun.value = null
    return isOver && await goOn()
  }

  /** The focused element is removed with the form. */
  async function cancel() {
    if (dirty.value && !over.value && !confirm('Throw away what you typed?')) return
    dirty.value = false
    if (!await close()) toHeading()
  }

  /** The dialog has released the focus. */
  function closed() {
    if (opener?.isConnected) opener.focus()
    else toHeading()
  }

  return {
    editing, asking, dirty, over, ask, act, edit, confirmed, decided, close, cancel, closed, undoing,
  }
}

/** Actions after which the submission stays open on the page, because there is more to do with it */
const STAYS = new Set<Deciding | AtOnce>(['undo', 'reopen', 'release', 'take', 'hand-back'])
