import { tryOnScopeDispose } from '@vueuse/core'

const PAGE_ROWS = 50

/** Whether a reviewer is waited for. */
const isDue = ({ open, state }: Pick<SubmissionDetails, 'open' | 'state'>) => open || state === 'held'

/** What was loaded before it is opened. */
let ahead: SubmissionDetails | null = null

/** Left for the next one while they are decided. */
const underWay = new Map<string, Promise<unknown>>()
export const isUnderWay = (id: string) => underWay.has(id)
/** Whoever closes the browser before the answer would never learn what became of it. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault()

/** What is known already of a submission that opens; once, because it grows old. */
export function takeAhead(id: string): SubmissionDetails | null {
  const taken = ahead?.id === id ? ahead : null
  ahead = null
  return taken
}

/**
 * Submissions one after the other, in the order of the list. The next one is loaded before somebody asks for it.
 *
 * @param id the one that is shown
 */
export function useQueue(id: () => string) {
  const queue = useQueueRows()
  const rows = () => queue.value.rows
  const place = () => rows().findIndex(row => row.id === id())
  /** Whoever came by the list goes on with its next; whoever came by a link has this one to decide. */
  const isIn = () => place() >= 0
  const next = shallowRef<SubmissionDetails | null>(null)
  let search: Promise<SubmissionDetails | null> | null = null
  /** What changed while the next one is looked for; null while nobody looks. */
  let meanwhile: Set<string> | null = null

  watch(id, forget)
  function forget() {
    next.value = search = meanwhile = null
  }

  /** Looks for the next one that waits for whoever looks: behind this one, and then from the top. */
  function look(): Promise<SubmissionDetails | null> {
    const changes = meanwhile = new Set<string>()
    const mine: typeof search = search = find().then((found) => {
      if (search !== mine) return search ?? found
      // It may have been read before it changed; and where nothing waited, something may now.
      if (found ? changes.has(found.id) : changes.size > 0) return look()
      meanwhile = null
      return next.value = found
    })
    // What fails is looked for again when it is needed.
    mine.catch(() => search === mine && forget())
    return mine
  }

  async function find(): Promise<SubmissionDetails | null> {
    const from = id()
    for (let at = place() + 1; at < rows().length || await extend(); at++) {
      const found = await dueAt(rows()[at]!, from)
      if (found) return found
    }
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: RowPage = await ask(cursor)
      for (const row of page.rows) {
        const found = await dueAt(row, from)
        if (found && !rows().some(known => known.id === row.id)) rows().push(inQueue(row))
        if (found) return found
      }
      cursor = page.cursor
    }
    if (underWay.size === 0) return null
    // That nothing waits is known once these are decided, or are not.
    await Promise.all(underWay.values())
    return find()
  }

  async function dueAt(row: Pick<Row, 'id' | 'state' | 'open'>, from: string): Promise<SubmissionDetails | null> {
    if (row.id === from || underWay.has(row.id) || !isDue(row)) return null
    const found = await askOps<SubmissionDetails>(submissionPath(row.id)).catch((error: unknown) => {
      if (isOverNow(error)) return null
      throw error
    })
    return found?.mayDecide && isDue(found) ? found : null
  }

  /** Has the rows behind the last one; false when there are none. */
  async function extend(): Promise<boolean> {
    const { cursor } = queue.value
    if (!cursor) return false
    const page = await ask(cursor)
    // Another look has them already.
    if (queue.value.cursor !== cursor) return true
    queue.value.cursor = page.cursor
    rows().push(...queueOf(page, {}).rows)
    return page.rows.length > 0 || extend()
  }

  const ask = (before: string | null | undefined) => (
    askOps<RowPage>('/api/submissions/search', { limit: PAGE_ROWS, before: before ?? undefined, ...queue.value.filter })
  )

  /** Something changed, perhaps the next one. */
  function changed(ids: readonly string[] | null) {
    if (!ids || (ahead && ids.includes(ahead.id))) ahead = null
    if (!search) return
    if (ids && meanwhile) for (const each of ids) meanwhile.add(each)
    else if (!ids || !next.value || ids.includes(next.value.id)) {
      next.value = null
      void look()
    }
  }

  let isOver = false
  tryOnScopeDispose(() => isOver = true)
  /** Nobody is led on who went elsewhere while the next one was looked for. */
  const isAt = (from: string) => !isOver && id() === from

  async function open(opened: string) {
    ahead = next.value?.id === opened ? next.value : null
    await navigateTo(`/submissions/${encodeURIComponent(opened)}`)
  }

  /** Whether there is one to move to. */
  function has(by: 1 | -1): boolean {
    return by === 1 ? place() + 1 < rows().length || queue.value.cursor !== null : place() > 0
  }

  /** The row so many further, whatever became of it. False where there is none; undefined where nobody knows now. */
  async function move(by: 1 | -1): Promise<boolean | undefined> {
    const [from, at] = [id(), place() + by]
    const isThere = at >= 0 && (at < rows().length || await extend().catch(() => undefined))
    if (isThere && isAt(from)) await open(rows()[at]!.id)
    return isThere
  }

  /** Opens the next one at once, where it is known: this one is being decided. */
  function leave(answer: Promise<unknown>): boolean {
    const left = id()
    if (!next.value) return false
    underWay.set(left, answer)
    window.addEventListener('beforeunload', warn)
    void answer.finally(() => {
      underWay.delete(left)
      if (underWay.size === 0) window.removeEventListener('beforeunload', warn)
    })
    void open(next.value.id)
    return true
  }

  /** Opens the next one that waits. False when nothing does; undefined when that cannot be known now. */
  async function goOn(): Promise<boolean | undefined> {
    const from = id()
    const found = next.value ?? await (search ?? look()).catch(() => undefined)
    if (!isAt(from)) return true
    if (found) await open(found.id)
    return found === undefined ? undefined : found !== null
  }

  return { isIn, next, look, changed, has, move, leave, goOn }
}
