import type { useListWords } from '../list/use-list-words'
import type { useSubmissionList } from '../list/use-submission-list'

type List = Pick<ReturnType<typeof useSubmissionList>, 'arrived' | 'turns' | 'searching' | 'number'>

/** The same text again has another key, so that it is read out again. */
function useSaid() {
  const said = ref({ key: 0, text: '' })
  const say = (text: string) => said.value = { key: said.value.key + 1, text }
  return [said, say] as const
}

/**
 * What happens to the list while the focus is elsewhere, for screen readers. In a few words: reading whole rows out on
 * every change would drown them.
 */
export function useAnnouncements(
  { arrived, turns, searching, number }: List, { total }: Pick<ReturnType<typeof useListWords>, 'total'>,
) {
  const [[news, sayNews], [found, sayFound]] = [useSaid(), useSaid()]
  watch(() => arrived.value.size, (count, before) => {
    if (count > before) sayNews(`${counted(count - before, 'new submission')}.`)
  })

  let told = turns.value
  // A search counts for a while.
  watch([turns, searching], ([turn, isSearching]) => {
    if (turn === told || isSearching) return
    told = turn
    sayFound(`${total.value}${number.value > 1 ? `, page ${number.value.toLocaleString('en')}` : ''}.`)
  })
  return { news, found }
}
