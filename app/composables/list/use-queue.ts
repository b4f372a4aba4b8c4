import { tryOnScopeDispose } from '@vueuse/core'
import type { QueueRow } from './use-queue-rows'

const PAGE_ROWS = 50

/** True if the submission waits for a reviewer. */
const isDue = ({ open, state }: { open: boolean, state: string }) => open || state === 'held'

/** Submission loaded before its page opens */
let preloaded: SubmissionDetails | null = null

/** Pending decisions on submissions that the user has left, by id */
const pendingDecisions = new Map<string, Promise<unknown>>()
export const isUnderWay = (id: string) => pendingDecisions.has(id)
/** Warns before the page closes: the user would never learn the outcome. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault()

/** Returns the submission if it was preloaded; only once, because it becomes outdated. */
export function takeAhead(id: string): SubmissionDetails | null {
  const submission = preloaded?.id === id ? preloaded : null
  preloaded = null
  return submission
}

/**
 * Steps through submissions in the order of the list. Loads the next one before it is needed.
 *
 * @param id of the submission that is shown
 */
export function useQueue(id: () => string) {
  const queue = useQueueRows()
  const rows = () => queue.value.rows
  const findPosition = () => rows().findIndex(row => row.id === id())
  /** True if the submission is in the list: a decision then opens the next one. One opened by a link stays open. */
  const isIn = () => findPosition() >= 0
  const next = shallowRef<SubmissionDetails | null>(null)
  let search: Promise<SubmissionDetails | null> | null = null
  /** Ids of submissions that change while the next one is searched for; null if no search runs */
  let changedIds: Set<string> | null = null

  watch(id, forget)
  function forget() {
    next.value = search = changedIds = null
  }

  /** Finds the next submission that waits for the viewer: below this one, then from the top of the list. */
  function look(): Promise<SubmissionDetails | null> {
    const changes = changedIds = new Set<string>()
    const thisSearch: typeof search = search = findNext().then((submission) => {
      if (search !== thisSearch) return search ?? submission
      // Search again: the result may be older than a change, and after any change one more may wait.
      if (submission ? changes.has(submission.id) : changes.size > 0) return look()
      changedIds = null
      return next.value = submission
    })
    // Forget a failed search, so that it is repeated when needed.
    thisSearch.catch(() => search === thisSearch && forget())
    return thisSearch
  }

  async function findNext(): Promise<SubmissionDetails | null> {
    const startId = id()
    for (let at = findPosition() + 1; at < rows().length || await loadMoreRows(); at++) {
      const submission = await loadIfDue(rows()[at]!, startId)
      if (submission) return submission
    }
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: RowPage = await requestPage(cursor)
      for (const row of page.rows) {
        const submission = await loadIfDue(row, startId)
        if (submission && !rows().some(each => each.id === row.id)) rows().push(inQueue(row))
        if (submission) return submission
      }
      cursor = page.cursor
    }
    if (pendingDecisions.size === 0) return null
    // Wait for these decisions before saying that nothing waits: a failed one leaves its submission open.
    await Promise.all(pendingDecisions.values())
    return findNext()
  }

  async function loadIfDue(
    row: QueueRow, startId: string,
  ): Promise<SubmissionDetails | null> {
    if (row.id === startId || pendingDecisions.has(row.id) || !isDue(row)) return null
    const submission = await askOps<SubmissionDetails>(submissionPath(row.id)).catch((error: unknown) => {
      if (isOverNow(error)) return null
      throw error
    })
    return submission?.mayDecide && isDue(submission) ? submission : null
  }

  /** Loads the rows after the last one; false if there are none. */
  async function loadMoreRows(): Promise<boolean> {
    const { cursor } = queue.value
    if (!cursor) return false
    const page = await requestPage(cursor)
    // Another call has loaded them already.
    if (queue.value.cursor !== cursor) return true
    queue.value.cursor = page.cursor
    rows().push(...queueOf(page, {}).rows)
    return page.rows.length > 0 || loadMoreRows()
  }

  const requestPage = (before: string | null | undefined) => (
    askOps<RowPage>('/api/submissions/search', { limit: PAGE_ROWS, before: before ?? undefined, ...queue.value.filter })
  )

  /** Handles a change, which may affect the next submission. */
  function changed(ids: readonly string[] | null) {
    if (!ids || (preloaded && ids.includes(preloaded.id))) preloaded = null
    if (!search) return
    if (ids && changedIds) for (const each of ids) changedIds.add(each)
    else if (!ids || !next.value || ids.includes(next.value.id)) {
      next.value = null
      void look()
    }
  }

  let isOver = false
  tryOnScopeDispose(() => isOver = true)
  /** True if the user is still at this submission: the search must not move a user who has left. */
  const isAt = (startId: string) => !isOver && id() === startId

  async function open(openedId: string) {
    preloaded = next.value?.id === openedId ? next.value : null
    await navigateTo(`/submissions/${encodeURIComponent(openedId)}`)
  }

  /** True if there is a row in this direction. */
  function has(by: 1 | -1): boolean {
    return by === 1 ? findPosition() + 1 < rows().length || queue.value.cursor !== null : findPosition() > 0
  }

  /** Opens the adjacent row, whatever its state. False if there is none; undefined if that is unknown now. */
  async function move(by: 1 | -1): Promise<boolean | undefined> {
    const [startId, at] = [id(), findPosition() + by]
    const isThere = at >= 0 && (at < rows().length || await loadMoreRows().catch(() => undefined))
    if (isThere && isAt(startId)) await open(rows()[at]!.id)
    return isThere
  }

  /** Opens the next submission at once, if it is known, while this one is being decided. */
  function leave(answer: Promise<unknown>): boolean {
    const leftId = id()
    if (!next.value) return false
    pendingDecisions.set(leftId, answer)
    window.addEventListener('beforeunload', warn)
    void answer.finally(() => {
      pendingDecisions.delete(leftId)
      if (pendingDecisions.size === 0) window.removeEventListener('beforeunload', warn)
    })
    void open(next.value.id)
    return true
  }

  /** Opens the next waiting submission. False if none waits; undefined if that cannot be known now. */
  async function goOn(): Promise<boolean | undefined> {
    const startId = id()
    const submission = next.value ?? await (search ?? look()).catch(() => undefined)
    if (!isAt(startId)) return true
    if (submission) await open(submission.id)
    return submission === undefined ? undefined : submission !== null
  }

  return { isIn, next, look, changed, has, move, leave, goOn }
}
