import {
  ACTIONS, undoOf, type ActionId, type InstantAction, type RevokingAction,
} from '../../../shared/actions'
import type { DecisionAnswer } from '../submission/use-submission'

/** Max time that an undo offer is shown, ms; enough to read it twice */
const OFFER_MS = 12_000

/** Time that a notice without an offer is shown, ms */
const NOTICE_MS = 5000

/** Numbers of the last decision begun and of the last one announced, because answers may arrive out of order */
let [lastBegun, lastAnnounced] = [0, 0]

/** Notice of the last decision */
interface Notice {
  number: number
  title: string
  icon: string
  /** Address of the submission */
  to?: string
  ms: number
}

/** Takes decisions back. Returns the ids to retry, and the messages of all failures. */
async function reopen(ids: readonly string[], action: RevokingAction) {
  const retryIds = new Set(ids)
  const messages = new Set<string>()
  try {
    for await (const results of decideEach(ids, action)) {
      for (const { id, status, line, error } of results) {
        if (status < 500 && status !== 423) retryIds.delete(id)
        if (status !== 200) messages.add(here(line ?? error ?? ''))
      }
    }
  }
  catch (error) {
    messages.add(errorLine(error))
  }
  return { retryIds: [...retryIds], messages: [...messages] }
}

export const useNotice = () => useState<Notice | null>('notice', () => null)

/** Announces decisions, and offers to take them back if possible. */
export function useDone() {
  const toast = useToast()
  const lastDecision = useLastDecided()
  const notice = useNotice()

  const fail = (title: string, description: string) => (
    toast.add({ title, description, color: 'warning', icon: 'i-lucide-info' })
  )
  const failed = (action: InstantAction, description: string) => fail(ACTIONS[action].failed!, description)

  async function takeBack() {
    const [offer, shownNotice, number] = [lastDecision.value, notice.value, lastBegun]
    if (!offer) return
    const { ids, action, until } = offer
    const countText = counted(ids.length, 'submission')
    lastDecision.value = null
    notice.value = ids.length === 1
      ? null
      : { number, title: `Taking ${countText} back…`, icon: 'i-lucide-undo-2', ms: until - Date.now() }
    const { retryIds, messages } = await reopen(ids, action)
    if (messages.length > 0) {
      fail(ids.length === 1 ? ACTIONS[action].failed! : `Not all of ${countText} were taken back`, messages.join(' '))
      const leftMs = until - Date.now()
      const canRetry = retryIds.length > 0 && leftMs > 0 && number === lastBegun
      if (canRetry) {
        lastDecision.value = { ...offer, ids: retryIds }
        notice.value = shownNotice && { ...shownNotice, ms: Math.min(leftMs, OFFER_MS) }
      }
      else if (notice.value?.number === number) notice.value = null
      return
    }
    notice.value = {
      number: lastAnnounced, icon: 'i-lucide-undo-2', ms: NOTICE_MS, ...ids.length === 1
        ? { title: 'Your last decision was undone: the submission is open again. Cards are updating.', to: `/submissions/${ids[0]}` }
        : { title: `${countText} are open again. Cards are updating.` },
    }
  }

  /** Returns a number for a decision whose answer is not awaited. Ends the undo offer of the previous decision. */
  function begin(): number {
    lastDecision.value = null
    return ++lastBegun
  }

  /**
   * @param ids one submission, or all that were decided at once
   * @param revocableMs time in which it can be taken back, ms; such decisions need no confirmation
   * @param number the decision's number, from `begin`
   */
  function say(ids: string | readonly string[], action: ActionId, revocableMs = 0, number = ++lastBegun) {
    if (number < lastAnnounced) return
    lastAnnounced = number
    const allIds = [ids].flat()
    const { done, group, many } = ACTIONS[action]
    const undoAction = revocableMs > 0 && number === lastBegun ? undoOf(ACTIONS[action]) : null
    if (undoAction) lastDecision.value = { ids: allIds, action: undoAction, until: Date.now() + revocableMs }
    // Keep the undo offer of the previous decision after an assignment.
    else if (group !== 'assignment') lastDecision.value = null
    const ms = undoAction ? Math.min(revocableMs, OFFER_MS) : NOTICE_MS
    const title = allIds.length === 1
      ? done
      : `${counted(allIds.length, 'submission')} ${many!.done}. Cards are updating.`
    notice.value = { number, title, icon: 'i-lucide-check', ms }
  }

  /** Announces an outcome to a user who has left the submission. A failure message stays until they close it. */
  function tell(id: string, action: ActionId, result: DecisionAnswer, revocableMs: number, number?: number) {
    if (result.decided) return say(id, action, revocableMs, number)
    if (result.late) return fail(ACTIONS[action].failed ?? 'Already decided', result.message)
    toast.add({
      title: ACTIONS[action].failed ?? 'It was not decided', description: result.message, color: 'error',
      icon: 'i-lucide-triangle-alert', duration: 0,
      actions: [{ label: 'Open it', color: 'neutral', variant: 'outline', to: `/submissions/${id}` }],
    })
  }

  /** Command that takes back the last decision */
  const undoing = (): PaletteCommand[] => lastDecision.value && Date.now() < lastDecision.value.until
    ? [{ key: 'z', label: 'Undo the last decision', icon: 'i-lucide-undo-2', run: takeBack }]
    : []

  return { notice, begin, say, fail, failed, tell, takeBack, undoing }
}
