import { tryOnScopeDispose, useTimeoutFn } from '@vueuse/core'

const RETRY_MS = 3000

/**
 * Loads a page's data when it opens and on request, one request at a time; requests meanwhile are merged into one.
 * After a failure loads again in a moment, as long as the page is open.
 */
export function useRefresh(load: () => Promise<void>) {
  const problem = ref<string | null>(null)
  /** True if the store does not answer: forms are refused, too. */
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
    // Same synchronous step as the last check, so no request can be missed.
    running = null
  }

  onMounted(() => void refresh())
  tryOnScopeDispose(() => isOver = true)
  return { problem, isStoreAway, refresh }
}
