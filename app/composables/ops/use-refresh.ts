import { tryOnScopeDispose, useTimeoutFn } from '@vueuse/core'

const RETRY_MS = 3000

/**
 * Loads what a page shows when it opens and whenever that is asked for: one request after the other, and whatever is
 * asked for meanwhile becomes one more. What fails is asked for again in a moment, as long as the page is open.
 */
export function useRefresh(load: () => Promise<void>) {
  const problem = ref<string | null>(null)
  /** The store does not answer: forms are refused, too. */
  const isStoreAway = ref(false)
  const retry = useTimeoutFn(() => void refresh(), RETRY_MS, { immediate: false })
  let running: Promise<void> | null = null
  let isStale = false
  let isOver = false

  async function refresh(): Promise<void> {
    if (isOver) return
    isStale = true
    await (running ??= work())
  }

  async function work() {
    while (isStale) {
      isStale = false
      try {
        await load()
        problem.value = null
        isStoreAway.value = false
      }
      catch (error) {
        problem.value = errorLine(error)
        isStoreAway.value = (error as { data?: { code?: string } }).data?.code === 'STORE_UNAVAILABLE'
        if (!isOver) retry.start()
      }
    }
    // In the step that looked last: nothing is asked for in between.
    running = null
  }

  onMounted(() => void refresh())
  tryOnScopeDispose(() => isOver = true)
  return { problem, isStoreAway, refresh }
}
