import { tryOnScopeDispose } from '@vueuse/core'

const PAGE_ROWS = 50

/** True if the submission waits for a reviewer. */
const isDue = ({ open, state }: Pick<SubmissionDetails, 'open' | 'state'>) => open || state === 'held'

/** Submission loaded before its page opens */
let ahead: SubmissionDetails | null = null

/** Answers of decisions whose submission was left for the next one, by id */
const underWay = new Map<string, Promise<unknown>>()
export const isUnderWay = (id: string) => underWay.has(id)
/** Warns before the page closes: the user would never learn the outcome. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault()

/** Returns the preloaded submission that opens, if any; only once, because it becomes outdated. */
export function takeAhead(id: string): SubmissionDetails | null {
  const taken = ahead?.id === id ? ahead : null
  ahead = null
  return taken
}

/**
 * Steps through submissions in the order of the list. Loads the next one before it is needed.
 *
 * @param id of the submission that is shown
 */
export function useQueue(id: () => string) {
  const queue = useQueueRows()
  const rows = () => queue.value.rows
  const place = () => rows().findIndex(row => row.id === id())
  /** True if it is in the list: a decision then leads to the next one. A submission opened by a link stays. */
  const isIn = () => place() >= 0
  const next = shallowRef<SubmissionDetails | null>(null)
  let search: Promise<SubmissionDetails | null> | null = null
  /** Ids that change during a search for the next one; null if none runs */
  let meanwhile: Set<string> | null = null

  watch(id, forget)
  function forget() {
    next.value = search = meanwhile = null
  }

  /** Finds the next submission that waits for the viewer: below this one, then from the top of the list. */
  function look(): Promise<SubmissionDetails | null> {
    const changes = meanwhile = new Set<string>()
    const mine: typeof search = search = find().then((found) => {
      if (search !== mine) return search ?? found
      // It may have been read before a change; and if none waited before, one may now.
      if (found ? changes.has(found.id) : changes.size > 0) return look()
      meanwhile = null
      return next.value = found
    })
    // Forget a failed search: it is repeated when needed.
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
    // Wait for these decisions before saying that nothing waits: a failed one leaves its submission open.
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

  /** Loads the rows after the last one; false if there are none. */
  async function extend(): Promise<boolean> {
    const { cursor } = queue.value
    if (!cursor) return false
    const page = await ask(cursor)
    // Another call has loaded them already.
    if (queue.value.cursor !== cursor) return true
    queue.value.cursor = page.cursor
    rows().push(...queueOf(page, {}).rows)
    return page.rows.length > 0 || extend()
  }

  const ask = (before: string | null | undefined) => (
    askOps<RowPage>('/api/submissions/search', { limit: PAGE_ROWS, before: before ?? undefined, ...queue.value.filter })
  )

  /** Handles a change, which may affect the next submission. */
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
  /** True if the user is still here: one who left during the search is not led on. */
  const isAt = (from: string) => !isOver && id() === from

  async function open(opened: string) {
    ahead = next.value?.id === opened ? next.value : null
    await navigateTo(`/submissions/${encodeURIComponent(opened)}`)
  }

  /** True if there is a row in this direction. */
  function has(by: 1 | -1): boolean {
    return by === 1 ? place() + 1 < rows().length || queue.value.cursor !== null : place() > 0
  }

  /** Opens the adjacent row, whatever its state. False if there is none; undefined if that is unknown now. */
  async function move(by: 1 | -1): Promise<boolean | undefined> {
    const [from, at] = [id(), place() + by]
    const isThere = at >= 0 && (at < rows().length || await extend().catch(() => undefined))
    if (isThere && isAt(from)) await open(rows()[at]!.id)
    return isThere
  }

  /** Opens the next submission at once, if it is known, while this one is being decided. */
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

  /** Opens the next waiting submission. False if none waits; undefined if that cannot be known now. */
  async function goOn(): Promise<boolean | undefined> {
    const from = id()
    const found = next.value ?? await (search ?? look()).catch(() => undefined)
    if (!isAt(from)) return true
    if (found) await open(found.id)
    return found === undefined ? undefined : found !== null
  }

  return { isIn, next, look, changed, has, move, leave, goOn }
}
