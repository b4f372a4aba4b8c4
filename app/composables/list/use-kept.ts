import { useLocalStorage } from '@vueuse/core'

/**
 * A text that this browser keeps; other tabs keep what they show. Private windows may refuse storage: then it lives as
 * long as the page.
 */
export function useKept(key: string) {
  return useLocalStorage(key, '', { writeDefaults: false, listenToStorageChanges: false, onError: () => {} })
}
