/**
 * Rows selected to be decided together: some of the shown rows, or everything that the filter finds.
 *
 * @param turns grows when other rows are shown, not when the same rows change
 */
export function useSelection(rows: () => readonly Row[], turns: () => number) {
  const ids = ref(new Set<string>())
  const decidableRows = computed(() => rows().filter(({ open }) => open))
  const all = computed(() => decidableRows.value.length > 0 && decidableRows.value.every(({ id }) => ids.value.has(id)))
  /** Start of a range */
  let anchor: string | null = null

  /** @param toHere selects the range from the row toggled last, if both are shown */
  function toggle(id: string, toHere = false) {
    const shownIds = decidableRows.value.map(row => row.id)
    const ends = [shownIds.indexOf(anchor ?? ''), shownIds.indexOf(id)]
    const [from, to] = ends.toSorted((a, b) => a - b) as [number, number]
    if (toHere && from >= 0) for (const each of shownIds.slice(from, to + 1)) ids.value.add(each)
    else if (!ids.value.delete(id)) ids.value.add(id)
    anchor = id
  }

  function toggleAll() {
    const selectsAll = !all.value
    for (const { id } of decidableRows.value) {
      if (selectsAll) ids.value.add(id)
      else ids.value.delete(id)
    }
  }

  // Deselect rows that somebody else has decided.
  watch([rows, turns] as const, ([newRows, newTurn], [oldRows, oldTurn]) => {
    if (newTurn !== oldTurn) return
    const goneIds = new Set(oldRows.map(({ id }) => id))
    for (const row of newRows) {
      goneIds.delete(row.id)
      if (!row.open) ids.value.delete(row.id)
    }
    for (const id of goneIds) ids.value.delete(id)
  })

  return { ids, all, toggle, toggleAll, clear: () => ids.value.clear() }
}
