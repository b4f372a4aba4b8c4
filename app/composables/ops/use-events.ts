import { createSharedComposable, tryOnScopeDispose, useIntervalFn } from '@vueuse/core'

/** Max silence, ms: the server beats every 1.5 s; after a longer pause changes might be missed. */
const MAX_SILENCE_MS = 4000
const CHECK_MS = 250

/** `refusing`: changes arrive, but the server refuses forms. */
export type Liveness = 'connecting' | 'live' | 'lost' | 'refusing'

/**
 * Listens to server-sent events, `changed` and `heartbeat`, while the page is open. It is live as long as there are
 * heartbeats: they stop when the server dies, the store or the network is away, or the laptop sleeps.
 *
 * @param onChange receives the data of a change; null when the connection is lost: then load everything again
 * @param getRevision returns the revision of the shown data, so that the server sends all changes since then; undefined
 * while nothing is shown yet: no connection is opened then
 */
export function useEvents(
  path: string, onChange: (data: string | null) => void, getRevision: () => string | null | undefined = () => null,
) {
  const liveness = ref<Liveness>('connecting')
  let events: EventSource | null = null
  let heardAt = 0

  function connect() {
    events?.close()
    heardAt = Date.now()
    const revision = getRevision()
    events = new EventSource(revision ? `${path}?since=${encodeURIComponent(revision)}` : path)
    events.addEventListener('changed', ({ data }: MessageEvent<string>) => onChange(data))
    events.addEventListener('heartbeat', ({ data }: MessageEvent<string>) => {
      heardAt = Date.now()
      liveness.value = data ? 'refusing' : 'live'
    })
  }

  // Compare clock times, because timers sleep with the machine. After a clock change, in either direction, reload.
  const { isActive, resume } = useIntervalFn(() => {
    if (Math.abs(Date.now() - heardAt) < MAX_SILENCE_MS) return
    // Reconnect: a dead connection can stay open for minutes, and browsers do not retry after an HTTP error.
    connect()
    if (liveness.value === 'lost') return
    liveness.value = 'lost'
    onChange(null)
  }, CHECK_MS, { immediate: false })

  watch(getRevision, (revision) => {
    if (revision === undefined || isActive.value) return
    connect()
    resume()
  }, { immediate: true })
  tryOnScopeDispose(() => events?.close())
  return liveness
}

interface Listener {
  onChange: (ids: string[] | null) => void
  getRevision?: () => string | null | undefined
}

const listeners = shallowReactive(new Set<Listener>())

/** One stream for all listeners, kept from page to page: a new one takes time and misses earlier changes. */
const useChangeEvents = createSharedComposable(() => useEvents('/api/submissions/events', (data) => {
  const ids = data === null ? null : JSON.parse(data) as string[] | null
  for (const { onChange } of [...listeners]) onChange(ids)
}, () => [...listeners].map(({ getRevision }) => getRevision?.()).find(revision => revision !== undefined)))

/**
 * Reports the ids of changed submissions; null if any may have changed. Data requested after this call is at least as
 * new as the call.
 */
export function useChanges(onChange: Listener['onChange'], getRevision?: Listener['getRevision']) {
  const listener = { onChange, getRevision }
  listeners.add(listener)
  tryOnScopeDispose(() => listeners.delete(listener))
  return useChangeEvents()
}
