import { createSharedComposable, tryOnScopeDispose, useIntervalFn } from '@vueuse/core'

/** The server beats every 1.5 s: so much silence, in ms, means that changes would not be heard of. */
const PATIENCE_MS = 4000
const CHECK_MS = 250

/** `refusing`: changes would be heard of, but forms are refused. */
export type Liveness = 'connecting' | 'live' | 'lost' | 'refusing'

/**
 * Listens to server-sent events, `changed` and `heartbeat`, as long as the page is open. Live is what beats: a server
 * that died, a store that is away, a network that is gone and a laptop that slept all fall silent.
 *
 * @param changed gets the data of a change; null when it became lost: what is shown is asked for again then
 * @param known the revision of what is shown, by which the server tells whether it has changed meanwhile; undefined as
 * long as nothing is shown, and it is not listened
 */
export function useEvents(
  path: string, changed: (data: string | null) => void, known: () => string | null | undefined = () => null,
) {
  const liveness = ref<Liveness>('connecting')
  let events: EventSource | null = null
  let heardAt = 0

  function connect() {
    events?.close()
    heardAt = Date.now()
    const since = known()
    events = new EventSource(since ? `${path}?since=${encodeURIComponent(since)}` : path)
    events.addEventListener('changed', ({ data }: MessageEvent<string>) => changed(data))
    events.addEventListener('heartbeat', ({ data }: MessageEvent<string>) => {
      heardAt = Date.now()
      liveness.value = data ? 'refusing' : 'live'
    })
  }

  // By the clock, because timers sleep with the machine. Once that is set, in either direction, all is asked for again.
  const { isActive, resume } = useIntervalFn(() => {
    if (Math.abs(Date.now() - heardAt) < PATIENCE_MS) return
    // A line that is dead without a word stays open for minutes, and after an HTTP error the browser gives up.
    connect()
    if (liveness.value === 'lost') return
    liveness.value = 'lost'
    changed(null)
  }, CHECK_MS, { immediate: false })

  watch(known, (knows) => {
    if (knows === undefined || isActive.value) return
    connect()
    resume()
  }, { immediate: true })
  tryOnScopeDispose(() => events?.close())
  return liveness
}

interface Listener {
  changed: (ids: string[] | null) => void
  known?: () => string | null | undefined
}

const listeners = shallowReactive(new Set<Listener>())

/** One stream for all who listen, from page to page: a new one has to be waited for, and knows nothing of before. */
const useChangeEvents = createSharedComposable(() => useEvents('/api/submissions/events', (data) => {
  const ids = data === null ? null : JSON.parse(data) as string[] | null
  for (const { changed } of [...listeners]) changed(ids)
}, () => [...listeners].map(({ known }) => known?.()).find(knows => knows !== undefined)))

/**
 * Hears of changes to submissions by their ids; null when any may have changed. What is asked for after this was called
 * is as old as the call at most.
 */
export function useChanges(changed: Listener['changed'], known?: Listener['known']) {
  const listener = { changed, known }
  listeners.add(listener)
  tryOnScopeDispose(() => listeners.delete(listener))
  return useChangeEvents()
}
