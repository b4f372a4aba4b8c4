import { tryOnScopeDispose, useTimeoutFn } from '@vueuse/core'

const RETRY_MS = 3000

/**
 * Loads a page's data when it opens and on request, one request at a time; requests meanwhile are merged into one.
 * Retries after a failure while the page is open.
 */
export function useRefresh(load: () => Promise<void>) {
  const problem = ref<string | null>(null)
  /** True if the store does not answer; forms are refused then. */
  const isStoreAway = ref(false)
  const retry = useTimeoutFn(() => void refresh(), RETRY_MS, { immediate: false })
  let activeLoad: Promise<void> | null = null
  let isStale = false
  let isDisposed = false

  async function refresh(): Promise<void> {
    if (isDisposed) return
    isStale = true
    await (activeLoad ??= loadUntilFresh())
  }

  async function loadUntilFresh() {
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
        if (!isDisposed) retry.start()
      }
    }
    // Runs in the same synchronous step as the last check, so that no request is missed.
    activeLoad = null
  }

  onMounted(() => void refresh())
  tryOnScopeDispose(() => isDisposed = true)
  return { problem, isStoreAway, refresh }
}
