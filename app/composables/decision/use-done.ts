import type { ListIntent } from '../list/use-list-keyboard'
import type { AtOnce, Deciding, DecisionAnswer } from '../submission/use-submission'

const DONE = {
  'forward': 'Forwarded. The cards follow.', 'edit': 'Forwarded. The cards follow.',
  'resend': 'Being sent again. The cards follow.', 'spam': 'Marked as spam. The cards follow.',
  'erase': 'Erased. The cards follow.', 'release': 'Released. Its cards follow.',
  'undo': 'Open again. The cards follow.', 'reopen': 'Open again. The cards follow.',
  'take': 'Assigned to you. Cards are updating.', 'hand-back': 'Handed back. Cards are updating.',
} as const
/** Past participles for many submissions at once */
export const ALL_DONE: Record<ListIntent, string> = { forward: 'forwarded', spam: 'marked as spam', take: 'taken' }
const FAILED: Readonly<Partial<Record<Deciding | AtOnce, string>>> = {
  'release': 'It was not released', 'undo': 'It was not taken back', 'reopen': 'It was not taken back',
  'take': 'It is not yours', 'hand-back': 'It was not handed back',
}
const HOW_BACK = { forward: 'undo', edit: 'undo', resend: 'undo', spam: 'reopen' } as const

/** Max time that an undo offer is shown, ms: longer than it takes to read it twice */
const OFFER_MS = 12_000

/** Time that a notice without an offer is shown, ms */
const READ_MS = 5000

/** Numbers of the last decision begun and the last one announced: answers may arrive out of order */
let [begun, told] = [0, 0]

/** Notice of the last decision */
interface Notice {
  number: number
  title: string
  icon: string
  /** Address of the submission */
  to?: string
  ms: number
}

/** Takes decisions back. Returns the ids worth another try, and the messages about those not taken back. */
async function reopen(ids: readonly string[], action: 'undo' | 'reopen') {
  const left = new Set(ids)
  const messages = new Set<string>()
  try {
    for await (const results of decideEach(ids, action)) {
      for (const { id, status, line, error } of results) {
        if (status < 500 && status !== 423) left.delete(id)
        if (status !== 200) messages.add(here(line ?? error ?? ''))
      }
    }
  }
  catch (error) {
    messages.add(errorLine(error))
  }
  return { left: [...left], messages: [...messages] }
}

export const useNotice = () => useState<Notice | null>('notice', () => null)

/** Announces decisions, and offers to take them back if possible. */
export function useDone() {
  const toast = useToast()
  const last = useLastDecided()
  const notice = useNotice()

  const fail = (title: string, description: string) => (
    toast.add({ title, description, color: 'warning', icon: 'i-lucide-info' })
  )
  const failed = (action: AtOnce, description: string) => fail(FAILED[action]!, description)

  async function takeBack() {
    const [offer, shown, number] = [last.value, notice.value, begun]
    if (!offer) return
    const { ids, action, until } = offer
    const many = counted(ids.length, 'submission')
    last.value = null
    notice.value = ids.length === 1
      ? null
      : { number, title: `Taking ${many} back…`, icon: 'i-lucide-undo-2', ms: until - Date.now() }
    const { left, messages } = await reopen(ids, action)
    if (messages.length > 0) {
      fail(ids.length === 1 ? FAILED[action]! : `Not all of ${many} were taken back`, messages.join(' '))
      const leftMs = until - Date.now()
      const isOpen = left.length > 0 && leftMs > 0 && number === begun
      if (isOpen) {
        last.value = { ...offer, ids: left }
        notice.value = shown && { ...shown, ms: Math.min(leftMs, OFFER_MS) }
      }
      else if (notice.value?.number === number) notice.value = null
      return
    }
    notice.value = {
      number: told, icon: 'i-lucide-undo-2', ms: READ_MS, ...ids.length === 1
        ? { title: 'Your last decision was undone: the submission is open again. Cards are updating.', to: `/submissions/${ids[0]}` }
        : { title: `${many} are open again. The cards follow.` },
    }
  }

  /** Numbers a decision whose answer is not awaited. Ends the offer to take back the one before it. */
  function begin(): number {
    last.value = null
    return ++begun
  }

  /**
   * @param ids one submission, or all that were decided at once
   * @param revocableMs time in which it can be taken back, ms; such decisions are made without asking first
   * @param number its number, from when it was begun
   */
  function say(ids: string | readonly string[], done: Deciding | AtOnce, revocableMs = 0, number = ++begun) {
    if (number < told) return
    told = number
    const all = [ids].flat()
    const isRevocable = revocableMs > 0 && done in HOW_BACK && number === begun
    if (isRevocable) {
      const action = HOW_BACK[done as keyof typeof HOW_BACK]
      last.value = { ids: all, action, until: Date.now() + revocableMs }
    }
    else if (done !== 'take' && done !== 'hand-back') last.value = null
    const ms = isRevocable ? Math.min(revocableMs, OFFER_MS) : READ_MS
    const title = all.length === 1
      ? DONE[done]
      : `${counted(all.length, 'submission')} ${ALL_DONE[done as ListIntent]}. The cards follow.`
    notice.value = { number, title, icon: 'i-lucide-check', ms }
  }

  /** Announces an outcome to a user who has left the submission. A failure stays until they close it. */
  function tell(id: string, done: Deciding | AtOnce, result: DecisionAnswer, revocableMs: number, number?: number) {
    if (result.decided) return say(id, done, revocableMs, number)
    if (result.late) return fail(FAILED[done] ?? 'Already decided', result.message)
    toast.add({
      title: FAILED[done] ?? 'It was not decided', description: result.message, color: 'error',
      icon: 'i-lucide-triangle-alert', duration: 0,
      actions: [{ label: 'Open it', color: 'neutral', variant: 'outline', to: `/submissions/${id}` }],
    })
  }

  /** Command that takes back the last decision */
  const undoing = (): PaletteCommand[] => last.value && Date.now() < last.value.until
    ? [{ key: 'z', label: 'Undo the last decision', icon: 'i-lucide-undo-2', run: takeBack }]
    : []

  return { notice, begin, say, fail, failed, tell, takeBack, undoing }
}
