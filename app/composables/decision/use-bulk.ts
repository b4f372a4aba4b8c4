import { tryOnScopeDispose } from '@vueuse/core'

/** At most so many in one request, so that its progress is seen and it can be stopped soon; the API takes 200. */
const STEP = 20
const PAGE_ROWS = 100

/**
 * Does the same to many, some at a time.
 *
 * @yields what became of each of the next ones; who has enough stops asking for more
 */
export async function* decideEach(ids: readonly string[], action: BulkAction): AsyncGenerator<BulkResult[]> {
  for (let at = 0; at < ids.length; at += STEP) {
    const step = ids.slice(at, at + STEP)
    yield (await askOnce<{ results: BulkResult[] }>('/api/submissions/decisions', { ids: step, action })).results
  }
}

/** Decides many, which can be stopped; and finds out which they are. */
export function useBulk() {
  const running = ref(false)
  const total = ref(0)
  /** Ids that were decided. */
  const done = ref<string[]>([])
  const errors = ref<BulkResult[]>([])
  /** Ids of which nobody knows that they were decided, because it was stopped or could not go on. */
  const left = ref<string[]>([])
  /** Why it could not go on. */
  const problem = ref<string | null>(null)
  let isStopped = false
  tryOnScopeDispose(() => isStopped = true)

  async function run(ids: readonly string[], action: BulkAction): Promise<void> {
    [total.value, done.value, errors.value, left.value, problem.value] = [ids.length, [], [], [...ids], null]
    running.value = true
    isStopped = false
    try {
      for await (const results of decideEach(ids, action)) {
        left.value = left.value.slice(results.length)
        done.value.push(...results.filter(({ status }) => status === 200).map(({ id }) => id))
        errors.value.push(...results.filter(({ status }) => status !== 200))
        if (isStopped) break
      }
    }
    catch (error) {
      problem.value = errorLine(error)
    }
    running.value = false
  }

  /**
   * Looks for all that wait for a decision and that the filter finds, until it is stopped.
   *
   * @param found gets the ids of all so far, whenever there are more: what goes wrong later takes none of them away
   */
  async function gather(filter: object, found: (ids: readonly string[]) => void): Promise<void> {
    const ids: string[] = []
    isStopped = false
    for (let before: string | null | undefined; before !== null && !isStopped;) {
      const page: RowPage = await askOps('/api/submissions/search', {
        limit: PAGE_ROWS, before: before ?? undefined, ...filter,
      })
      ids.push(...page.rows.filter(({ open }) => open).map(({ id }) => id))
      found(ids)
      before = page.cursor
    }
  }

  function stop() {
    isStopped = true
    stopWaitingHere()
  }

  return { running, total, done, errors, left, problem, run, gather, stop }
}
