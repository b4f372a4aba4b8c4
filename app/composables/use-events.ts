import { useIntervalFn } from '@vueuse/core'

/** The server beats every 1.5 s: so much silence, in ms, means that changes would not be heard of. */
const PATIENCE_MS = 4000
const CHECK_MS = 250

export type Liveness = 'connecting' | 'live' | 'lost'

/**
 * Listens to server-sent events, `changed` and `heartbeat`, as long as the page is open. Live is what beats: a server
 * that died, a store that is away, a network that is gone and a laptop that slept all fall silent.
 *
 * @param changed gets the data of a change; null when anything may have changed, and when it became lost: what is shown
 * is asked for again then
 * @param wanted whether to listen yet
 */
export function useEvents(
  path: string, changed: (data: string | null) => void, wanted: Readonly<Ref<boolean>> = ref(true),
) {
  const liveness = ref<Liveness>('connecting')
  let events: EventSource | null = null
  let heardAt = 0

  function connect() {
    events?.close()
    heardAt = Date.now()
    events = new EventSource(path)
    events.addEventListener('open', () => changed(null))
    events.addEventListener('changed', ({ data }: MessageEvent<string>) => changed(data))
    events.addEventListener('heartbeat', () => {
      heardAt = Date.now()
      liveness.value = 'live'
    })
  }

  // By the clock, because timers sleep with the machine.
  const { isActive, resume } = useIntervalFn(() => {
    if (Date.now() - heardAt < PATIENCE_MS) return
    // A line that is dead without a word stays open for minutes, and after an HTTP error the browser gives up.
    connect()
    if (liveness.value === 'lost') return
    liveness.value = 'lost'
    changed(null)
  }, CHECK_MS, { immediate: false })

  onMounted(() => watch(wanted, (wants) => {
    if (!wants || isActive.value) return
    connect()
    resume()
  }, { immediate: true }))
  onBeforeUnmount(() => events?.close())
  return liveness
}

/** Hears of changes to submissions by their ids; null when any may have changed. */
export function useChanges(changed: (ids: string[] | null) => void) {
  return useEvents('/api/submissions/events', data => changed(data && JSON.parse(data)))
}
