import { useLocalStorage } from '@vueuse/core'

interface SavedView { name: string, filter: ListFilter }

/** More would be no shortcut. */
const MOST_VIEWS = 20

/** Filters of the list by the names that somebody gave them, in this browser alone. */
export function useSavedViews() {
  const views = useLocalStorage<SavedView[]>('views', [], { onError: () => {} })

  /** One of the same name is replaced. */
  function save(name: string, filter: ListFilter) {
    views.value = [...views.value.filter(view => view.name !== name), { name, filter }].slice(-MOST_VIEWS)
  }

  function remove(name: string) {
    views.value = views.value.filter(view => view.name !== name)
  }

  return { views, save, remove }
}
