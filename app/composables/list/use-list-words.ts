import type { useSubmissionList } from './use-submission-list'

type ListState = Pick<
  ReturnType<typeof useSubmissionList>, 'page' | 'search' | 'searching' | 'turning' | 'filter' | 'filtered' | 'number'
>

const formatCount = (count: number) => count.toLocaleString('en')

/** Texts with the list's numbers; a number that is not exact says so. */
export function useListWords({ page, search, searching, turning, filter, filtered, number }: ListState) {
  /** Search result for the current filter; null until it is known */
  const currentSearch = computed(() => (
    search.value?.of === JSON.stringify(filter.value) && search.value.cursor !== undefined ? search.value : null
  ))

  /**
   * Page number, and the number of pages if known. The length of pages varies while they are shown, so only the page
   * itself tells whether another follows.
   */
  const place = computed(() => {
    const isLast = !turning.value && page.value?.cursor === null
    const minPages = number.value + (turning.value || isLast ? 0 : 1)
    const pageCount = isLast ? minPages : Math.max(minPages, Math.ceil((page.value?.total ?? 0) / 50))
    return `${formatCount(number.value)}${filtered.value ? '' : ` of ${formatCount(pageCount)}`}`
  })

  /** `505 pending`, `33 of 505 pending`, `33 so far of 505 pending`, or `more than 1,000 of 5,050 pending`. */
  const total = computed(() => {
    if (!page.value) return ''
    const allText = `${formatCount(page.value.total)} ${page.value.list}`
    if (!filtered.value || !currentSearch.value) return allText
    const { ids, cursor } = currentSearch.value
    if (cursor === null) return `${formatCount(ids.size)} of ${allText}`
    if (searching.value) return `${formatCount(ids.size)} so far of ${allText}`
    return `more than ${formatCount(Math.floor((ids.size - 1) / 1000) * 1000)} of ${allText}`
  })

  /** Progress of the search while it runs */
  const looked = computed(() => page.value && currentSearch.value && searching.value
    ? `Looked at ${formatCount(currentSearch.value.scanned)} of ${formatCount(page.value.total)}…`
    : undefined)

  return { place, total, looked }
}
