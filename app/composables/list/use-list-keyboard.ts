import { ACTIONS, LIST_ACTIONS, type ListAction } from '../../../shared/actions'

const rowOf = (id: string) => document.querySelector<HTMLElement>(`[data-testid=row][data-id="${CSS.escape(id)}"]`)
const linkOf = (id: string) => rowOf(id)?.querySelector('a') ?? null

/** Id of the row that keys act on, kept while a submission is open */
export const useCurrentRow = () => useState<string | null>('list-current', () => null)

/** Keyboard navigation and selection for the list. Keys move the current row and decide it. */
export function useListKeyboard(rows: () => readonly Row[], turns: () => number) {
  const { decides, takes } = useSignIn()
  const selection = useSelection(rows, turns)
  const kept = useCurrentRow()
  const current = computed(() => rows().find(({ id }) => id === kept.value) ?? rows()[0] ?? null)
  const hovered = ref<string | null>(null)
  /** Requested action. The component that does it is loaded on the first request. */
  const wish = shallowRef<{ what: ListAction, row: Row | null } | null>(null)
  const wishes = computed(() => LIST_ACTIONS
    .filter(what => isOfferedOnRow(what, { open: true, holder: null }, takes.value))
    .map(what => ({ what, ...ACTIONS[what].command!, icon: ACTIONS[what].page.icon })))

  function focusOn(id: string) {
    kept.value = id
    // Wait until rows that arrived at the same time are rendered.
    void nextTick(() => linkOf(id)?.focus())
  }

  function move(step: 1 | -1) {
    const isInList = document.activeElement?.closest('[data-testid=row]')
    const index = rows().findIndex(({ id }) => id === current.value?.id) + (isInList ? step : 0)
    const target = rows()[index]
    if (target) focusOn(target.id)
  }

  /** Focuses the current row, or the heading if there is none, when nothing else has the focus. */
  function focusOnCurrent(row = current.value) {
    if (row) focusOn(row.id)
    else document.querySelector<HTMLElement>('main h1')?.focus()
  }

  let isOver = false
  onBeforeUnmount(() => isOver = true)
  const isElsewhere = (id: string) => isOver || hasMovedOn(rowOf(id))

  /** Focuses a row again, unless the user has moved on. */
  function stay(id: string) {
    if (!isElsewhere(id)) focusOn(id)
  }

  /** Moves from a decided row to the next, or to the one before the last row. The row may be gone already. */
  function leave(id: string) {
    const hasLeft = isElsewhere(id)
    const index = rows().findIndex(row => row.id === id)
    const target = index < 0 ? current.value : rows()[index + 1] ?? rows()[index - 1] ?? null
    if (kept.value === id) kept.value = target?.id ?? null
    if (!hasLeft) focusOnCurrent(target)
  }

  // Replace a current row that is gone by the row in its place.
  watch(rows, (newRows, oldRows) => {
    const index = oldRows.findIndex(({ id }) => id === kept.value)
    if (index < 0 || newRows.some(({ id }) => id === kept.value)) return
    const hadFocus = document.activeElement?.closest<HTMLElement>('[data-testid=row]')?.dataset.id === kept.value
    kept.value = newRows[Math.min(index, newRows.length - 1)]?.id ?? null
    if (hadFocus) focusOnCurrent()
  })

  const mayDecide = (row: Row) => decides.value && row.open

  function ask(what: ListAction, row: Row | null) {
    if (row && !(mayDecide(row) && isOfferedOnRow(what, row, takes.value))) return
    // Focus the row, not its link: the Enter that answers the question would open the link.
    if (row) rowOf(row.id)?.focus()
    wish.value = { what, row }
  }

  function open(hash = '') {
    if (current.value) void navigateTo(`/submissions/${encodeURIComponent(current.value.id)}${hash}`)
  }

  function listDecisionCommands(): PaletteCommand[] {
    const row = current.value
    const hasSelection = selection.ids.value.size > 0
    if (!decides.value || !(row || hasSelection)) return []
    return [
      ...wishes.value.map(({ what, ...looks }) => ({ ...looks, run: () => ask(what, hasSelection ? null : row) })),
      ...row?.open
        ? [
            { ...ACTIONS.edit.command!, icon: ACTIONS.edit.page.icon, run: () => open('#edit') },
            { key: 'x', label: 'Select', icon: 'i-lucide-square-check', run: () => selection.toggle(row.id) },
          ]
        : [],
      ...hasSelection ? [{ key: 'Escape', label: 'Select nothing', icon: 'i-lucide-x', run: selection.clear }] : [],
    ]
  }

  useCommands(() => wish.value
    ? []
    : [
        { key: 'j', label: 'Next row', icon: 'i-lucide-chevron-down', repeats: true, run: () => move(1) },
        { key: 'k', label: 'Previous row', icon: 'i-lucide-chevron-up', repeats: true, run: () => move(-1) },
        { key: 'Enter', label: 'Open', icon: 'i-lucide-corner-down-left', run: () => open() },
        {
          key: '/', label: 'Search', icon: 'i-lucide-search',
          run: () => document.querySelector<HTMLElement>('main [type=search]')?.focus(),
        },
        ...listDecisionCommands(),
      ])

  /** Focuses the row that the user left for a submission. */
  onMounted(() => {
    if (kept.value && linkOf(kept.value) && !hasMovedOn()) focusOn(kept.value)
  })

  return {
    current, hovered, kept, wish, wishes, selection, mayDecide, move, ask, isElsewhere, stay, leave, focusOnCurrent,
  }
}

export type ListKeyboard = ReturnType<typeof useListKeyboard>
