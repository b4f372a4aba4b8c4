import type { DecisionQuestion, AtOnce, Deciding, DecisionRequest, DecisionAnswer } from '../submission/use-submission'

interface Decided {
  id: string
  submission: Readonly<Ref<SubmissionDetails | null>>
  ended: Readonly<Ref<{ message: string } | null>>
  decide: (request: DecisionRequest) => Promise<DecisionAnswer>
  refresh: () => Promise<void>
  /** Goes on to the next one; false when this one stays. */
  goOn: () => Promise<boolean>
  /** Shows the next one while this one is being decided; false where it is not known, and where that may take long. */
  leave: (answer: Promise<unknown>) => boolean
}

/** What somebody has begun to decide; asked once more only before what cannot be taken back. */
export function useDecision({ id, submission, ended, decide, refresh, goOn, leave }: Decided) {
  const { begin, say, fail, failed, tell, undoing } = useDone()
  /** With the submission as it was then: form and dialog outlive what happens meanwhile. */
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
  /** What had the focus before the question. */
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

  /** Null where whoever pressed is elsewhere by then: what came of it is said when it is known, and not before. */
  async function send(
    what: Deciding | AtOnce, request: DecisionRequest, shown: SubmissionDetails,
  ): Promise<DecisionAnswer | null> {
    const asked = begun.value
    const answer = decide(request)
    // Who has it, has to agree first.
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

  /** What was pressed is gone in a moment. */
  async function decided(done: Deciding | AtOnce) {
    begun.value = null
    dirty.value = false
    opener = null
    const shown = submission.value
    // The next one comes first.
    setTimeout(() => say(id, done, shown?.revocableMs[done === 'spam' ? 'spam' : 'forward']))
    if (STAYS.has(done) || !await goOn()) toHeading()
    void refresh()
  }

  /** Somebody who is editing goes on with what they typed. */
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

  /** After the dialog asked; where others wait too, whoever is too late need not stay to read why. */
  async function confirmed(action: Exclude<Deciding, 'edit'>, to: string): Promise<DecisionAnswer | null> {
    const request = action === 'resend' ? { action, to } : { action }
    const result = await send(action, request, begun.value!.submission)
    if (result && !result.decided && result.late && await goOn()) fail('Already decided', result.message)
    return result
  }

  /** Whoever was too late has seen why. */
  async function close() {
    const isOver = over.value !== null
    stopWaitingHere()
    begun.value = null
    return isOver && await goOn()
  }

  /** What had the focus goes with the form. */
  async function cancel() {
    if (dirty.value && !over.value && !confirm('Throw away what you typed?')) return
    dirty.value = false
    if (!await close()) toHeading()
  }

  /** The dialog let go of the focus. */
  function closed() {
    if (opener?.isConnected) opener.focus()
    else toHeading()
  }

  return {
    editing, asking, dirty, over, ask, act, edit, confirmed, decided, close, cancel, closed, undoing,
  }
}

/** After these there is more to do with it. */
const STAYS = new Set<Deciding | AtOnce>(['undo', 'reopen', 'release', 'take', 'hand-back'])
