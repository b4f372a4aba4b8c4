import { tryOnScopeDispose } from '@vueuse/core'
import type { BulkAction } from '../../../shared/actions'

/** Max submissions in one request: small steps show progress and can be stopped soon. The API accepts 200. */
const STEP = 20
const PAGE_ROWS = 100

/**
 * Applies one action to many submissions, step by step.
 *
 * @yields the results of each step; a caller that stops iterating sends no more requests
 */
export async function* decideEach(ids: readonly string[], action: BulkAction): AsyncGenerator<BulkResult[]> {
  for (let at = 0; at < ids.length; at += STEP) {
    const step = ids.slice(at, at + STEP)
    yield (await askOnce<{ results: BulkResult[] }>('/api/submissions/decisions', { ids: step, action })).results
  }
}

/** Decides many submissions until it is stopped, and finds the submissions that match a filter. */
export function useBulk() {
  const running = ref(false)
  const total = ref(0)
  /** Ids that were decided */
  const done = ref<string[]>([])
  const errors = ref<BulkResult[]>([])
  /** Ids that may be undecided, because the run was stopped or failed */
  const left = ref<string[]>([])
  /** Reason why the run failed */
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
   * Collects all open submissions that match the filter, until it is stopped.
   *
   * @param onFound receives all ids so far after each step, so that a later failure loses none
   */
  async function gather(filter: object, onFound: (ids: readonly string[]) => void): Promise<void> {
    const ids: string[] = []
    isStopped = false
    for (let cursor: string | null | undefined; cursor !== null && !isStopped;) {
      const page: RowPage = await askOps('/api/submissions/search', {
        limit: PAGE_ROWS, before: cursor ?? undefined, ...filter,
      })
      ids.push(...page.rows.filter(({ open }) => open).map(({ id }) => id))
      onFound(ids)
      cursor = page.cursor
    }
  }

  function stop() {
    isStopped = true
    stopWaitingHere()
  }

  return { running, total, done, errors, left, problem, run, gather, stop }
}
