import type { useSubmissionList } from './use-submission-list'

type Shown = Pick<
  ReturnType<typeof useSubmissionList>, 'page' | 'search' | 'searching' | 'turning' | 'filter' | 'filtered' | 'number'
>

const figure = (count: number) => count.toLocaleString('en')

/** What the list says of itself in numbers: each is exact, or says that it is not. */
export function useListWords({ page, search, searching, turning, filter, filtered, number }: Shown) {
  /** What is known of this filter; another one may be on its way. */
  const found = computed(() => (
    search.value?.of === JSON.stringify(filter.value) && search.value.cursor !== undefined ? search.value : null
  ))

  /**
   * The number of this page, and of how many, when that is known. Pages that people look at become longer and shorter:
   * whether another one follows, the page itself tells.
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

  /** How far the search has looked, while it is on its way. */
  const looked = computed(() => page.value && found.value && searching.value
    ? `Looked at ${figure(found.value.scanned)} of ${figure(page.value.total)}…`
    : undefined)

  return { place, total, looked }
}
