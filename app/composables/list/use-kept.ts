import { useLocalStorage } from '@vueuse/core'

/**
 * A text stored in this browser; other open tabs keep their own. If a private window refuses storage, the text is kept
 * until the page is closed.
 */
export function useKept(key: string) {
  return useLocalStorage(key, '', { writeDefaults: false, listenToStorageChanges: false, onError: () => {} })
}
