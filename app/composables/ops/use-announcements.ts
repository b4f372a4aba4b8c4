import type { useListWords } from '../list/use-list-words'
import type { useSubmissionList } from '../list/use-submission-list'

type List = Pick<ReturnType<typeof useSubmissionList>, 'arrived' | 'turns' | 'searching' | 'number'>

/** Texts with a new key each time, so that a repeated text is read out again */
function useAnnouncement() {
  const announcement = ref({ key: 0, text: '' })
  const announce = (text: string) => announcement.value = { key: announcement.value.key + 1, text }
  return [announcement, announce] as const
}

/**
 * Changes of the list for screen readers, while the focus is elsewhere. Kept short: reading out whole rows on every
 * change would be too much.
 */
export function useAnnouncements(
  { arrived, turns, searching, number }: List, { total }: Pick<ReturnType<typeof useListWords>, 'total'>,
) {
  const [[news, announceNews], [resultNews, announceResult]] = [useAnnouncement(), useAnnouncement()]
  watch(() => arrived.value.size, (count, before) => {
    if (count > before) announceNews(`${counted(count - before, 'new submission')}.`)
  })

  let announcedTurn = turns.value
  // Wait until the search has counted the results.
  watch([turns, searching], ([turn, isSearching]) => {
    if (turn === announcedTurn || isSearching) return
    announcedTurn = turn
    announceResult(`${total.value}${number.value > 1 ? `, page ${number.value.toLocaleString('en')}` : ''}.`)
  })
  return { news, found: resultNews }
}
