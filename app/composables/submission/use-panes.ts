import { useMediaQuery } from '@vueuse/core'

/** Min width per column for rooms and outbox side by side, rem: larger letters need more room */
const COLUMN_MIN_REM = 26

/** Min width at which the outbox has its own column, rem */
const OUTBOX_MIN_REM = 64

/** Tab value that cannot be a channel's name */
export const OUTBOX = 'outbox:'

/** Visible panes of the sandbox: rooms and outbox side by side as far as they fit, and tabs for the others */
export function usePanes(state: Readonly<Ref<SandboxState | null>>) {
  const channels = computed(() => state.value?.channels ?? [])
  const outboxFits = useMediaQuery(`(min-width: ${OUTBOX_MIN_REM}rem)`)
  const columnsFit = useMediaQuery(() => `(min-width: ${(channels.value.length + 1) * COLUMN_MIN_REM}rem)`)
  const roomsFit = computed(() => outboxFits.value && columnsFit.value)

  const chosenTab = ref('')
  const choices = computed(() => [...roomsFit.value ? [] : channels.value, ...outboxFits.value ? [] : [OUTBOX]])
  const tab = computed({
    get: () => choices.value.includes(chosenTab.value) ? chosenTab.value : choices.value[0] ?? '',
    set: pane => chosenTab.value = pane,
  })
  const isShown = (pane: string) => tab.value === pane || !choices.value.includes(pane)

  /** Hidden rooms are rendered when the browser is idle. */
  const isReady = ref(false)
  watch(state, () => onNuxtReady(() => { isReady.value = true }), { once: true })
  const rooms = computed(() => channels.value.filter(channel => isReady.value || isShown(channel)))

  /** Times of the changes in each pane */
  const changeTimes = computed(() => new Map([
    ...channels.value.map(each => [each, state.value!.messages.filter(({ channel }) => channel === each).map(
      ({ editedAt, postedAt }) => editedAt ?? postedAt,
    )] as const),
    [OUTBOX, state.value?.emails.map(({ sentAt }) => sentAt) ?? []],
  ]))
  const seenUntil = reactive(new Map<string, number>())
  watch([state, tab, choices], () => {
    if (!state.value) return
    for (const [pane, times] of changeTimes.value) {
      // The initial content does not count as a change.
      if (isShown(pane) || !seenUntil.has(pane)) seenUntil.set(pane, Math.max(0, ...times))
    }
  })
  const countUnseen = (pane: string) => (
    changeTimes.value.get(pane)!.filter(time => time > (seenUntil.get(pane) ?? 0)).length
  )
  const tabs = computed(() => choices.value.map(pane => ({
    value: pane, label: pane === OUTBOX ? 'Outbox' : `#${pane}`,
    ...countUnseen(pane) > 0 && { badge: { label: countUnseen(pane), color: 'primary', variant: 'solid' } as const },
  })))

  return { rooms, tab, tabs, isShown, roomsFit, outboxFits }
}
