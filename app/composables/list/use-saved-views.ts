import { useLocalStorage } from '@vueuse/core'

interface SavedView { name: string, filter: ListFilter }

/** Limit of saved views: a longer list would be no shortcut */
const MAX_VIEWS = 20

/** Named filters of the list, in this browser only */
export function useSavedViews() {
  const views = useLocalStorage<SavedView[]>('views', [], { onError: () => {} })

  /** Replaces a view of the same name. */
  function save(name: string, filter: ListFilter) {
    views.value = [...views.value.filter(view => view.name !== name), { name, filter }].slice(-MAX_VIEWS)
  }

  function remove(name: string) {
    views.value = views.value.filter(view => view.name !== name)
  }

  return { views, save, remove }
}
