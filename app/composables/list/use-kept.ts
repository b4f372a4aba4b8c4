import { useLocalStorage } from '@vueuse/core'

/**
 * A text kept in this browser; other tabs keep the one they show. If a private window refuses storage, it lives as long
 * as the page.
 */
export function useKept(key: string) {
  return useLocalStorage(key, '', { writeDefaults: false, listenToStorageChanges: false, onError: () => {} })
}
