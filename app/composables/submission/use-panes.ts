import { useMediaQuery } from '@vueuse/core'

/** Min width per column for rooms and outbox side by side, rem: larger letters need more room */
const COLUMN = 26

/** Min width at which the outbox has its own column, rem */
const WIDE = 64

/** Tab value that cannot be a channel's name */
export const OUTBOX = 'outbox:'

/** Visible panes of the sandbox: rooms and outbox side by side as far as they fit, and tabs for the others */
export function usePanes(state: Readonly<Ref<SandboxState | null>>) {
  const channels = computed(() => state.value?.channels ?? [])
  const outboxFits = useMediaQuery(`(min-width: ${WIDE}rem)`)
  const columnsFit = useMediaQuery(() => `(min-width: ${(channels.value.length + 1) * COLUMN}rem)`)
  const roomsFit = computed(() => outboxFits.value && columnsFit.value)

  const chosen = ref('')
  const choices = computed(() => [...roomsFit.value ? [] : channels.value, ...outboxFits.value ? [] : [OUTBOX]])
  const tab = computed({
    get: () => choices.value.includes(chosen.value) ? chosen.value : choices.value[0] ?? '',
    set: pane => chosen.value = pane,
  })
  const isShown = (pane: string) => tab.value === pane || !choices.value.includes(pane)

  /** Hidden rooms are rendered when the browser is idle. */
  const isReady = ref(false)
  watch(state, () => onNuxtReady(() => { isReady.value = true }), { once: true })
  const rooms = computed(() => channels.value.filter(channel => isReady.value || isShown(channel)))

  /** Times of the changes in each pane */
  const changes = computed(() => new Map([
    ...channels.value.map(each => [each, state.value!.messages.filter(({ channel }) => channel === each).map(
      ({ editedAt, postedAt }) => editedAt ?? postedAt,
    )] as const),
    [OUTBOX, state.value?.emails.map(({ sentAt }) => sentAt) ?? []],
  ]))
  const seenUntil = reactive(new Map<string, number>())
  watch([state, tab, choices], () => {
    if (!state.value) return
    for (const [pane, times] of changes.value) {
      // Initial content changed before the user looked.
      if (isShown(pane) || !seenUntil.has(pane)) seenUntil.set(pane, Math.max(0, ...times))
    }
  })
  const unseen = (pane: string) => changes.value.get(pane)!.filter(time => time > (seenUntil.get(pane) ?? 0)).length
  const tabs = computed(() => choices.value.map(pane => ({
    value: pane, label: pane === OUTBOX ? 'Outbox' : `#${pane}`,
    ...unseen(pane) > 0 && { badge: { label: unseen(pane), color: 'primary', variant: 'solid' } as const },
  })))

  return { rooms, tab, tabs, isShown, roomsFit, outboxFits }
}
