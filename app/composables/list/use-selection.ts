/**
 * Selected rows, to be decided together: from the shown rows, or from everything that the filter finds.
 *
 * @param turns grows when other rows are shown, not when the same rows change
 */
export function useSelection(rows: () => readonly Row[], turns: () => number) {
  const ids = ref(new Set<string>())
  const decidable = computed(() => rows().filter(({ open }) => open))
  const all = computed(() => decidable.value.length > 0 && decidable.value.every(({ id }) => ids.value.has(id)))
  /** Start of a range */
  let anchor: string | null = null

  /** @param toHere selects the range from the row toggled last, if both are shown */
  function toggle(id: string, toHere = false) {
    const shown = decidable.value.map(row => row.id)
    const [from, to] = [shown.indexOf(anchor ?? ''), shown.indexOf(id)].toSorted((a, b) => a - b) as [number, number]
    if (toHere && from >= 0) for (const each of shown.slice(from, to + 1)) ids.value.add(each)
    else if (!ids.value.delete(id)) ids.value.add(id)
    anchor = id
  }

  function toggleAll() {
    const isOn = !all.value
    for (const { id } of decidable.value) {
      if (isOn) ids.value.add(id)
      else ids.value.delete(id)
    }
  }

  // Deselect rows that somebody else has decided.
  watch([rows, turns] as const, ([now, turn], [before, turned]) => {
    if (turn !== turned) return
    const left = new Set(before.map(({ id }) => id))
    for (const row of now) {
      left.delete(row.id)
      if (!row.open) ids.value.delete(row.id)
    }
    for (const id of left) ids.value.delete(id)
  })

  return { ids, all, toggle, toggleAll, clear: () => ids.value.clear() }
}
