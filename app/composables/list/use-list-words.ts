import type { useSubmissionList } from './use-submission-list'

type Shown = Pick<
  ReturnType<typeof useSubmissionList>, 'page' | 'search' | 'searching' | 'turning' | 'filter' | 'filtered' | 'number'
>

const figure = (count: number) => count.toLocaleString('en')

/** Texts with the list's numbers: each number is exact, or says that it is not. */
export function useListWords({ page, search, searching, turning, filter, filtered, number }: Shown) {
  /** Search result for the current filter; null while only another filter's is known */
  const found = computed(() => (
    search.value?.of === JSON.stringify(filter.value) && search.value.cursor !== undefined ? search.value : null
  ))

  /**
   * Page number, and the number of pages if known. The length of pages varies while they are shown, so only the page
   * itself tells whether another follows.
   */
  const place = computed(() => {
    const isLast = !turning.value && page.value?.cursor === null
    const least = number.value + (turning.value || isLast ? 0 : 1)
    const all = isLast ? least : Math.max(least, Math.ceil((page.value?.total ?? 0) / 50))
    return `${figure(number.value)}${filtered.value ? '' : ` of ${figure(all)}`}`
  })

  /** `505 pending`, `33 of 505 pending`, `33 so far of 505 pending`, or `more than 1,000 of 5,050 pending`. */
  const total = computed(() => {
    if (!page.value) return ''
    const all = `${figure(page.value.total)} ${page.value.list}`
    if (!filtered.value || !found.value) return all
    const { ids, cursor } = found.value
    if (cursor === null) return `${figure(ids.size)} of ${all}`
    if (searching.value) return `${figure(ids.size)} so far of ${all}`
    return `more than ${figure(Math.floor((ids.size - 1) / 1000) * 1000)} of ${all}`
  })

  /** Progress of the search while it runs */
  const looked = computed(() => page.value && found.value && searching.value
    ? `Looked at ${figure(found.value.scanned)} of ${figure(page.value.total)}…`
    : undefined)

  return { place, total, looked }
}
