const RECONNECT_MS = 3000

/** A gap shorter than this is nobody's concern: streams end every few minutes and come back. */
const PATIENCE_MS = 2500

export type Liveness = 'connecting' | 'live' | 'lost'

/**
 * Hears of changes to submissions as long as the page is open.
 *
 * @param changed gets the ids, or null when anything may have changed: also after every time that the connection stands
 */
export function useChanges(changed: (ids: string[] | null) => void) {
  const liveness = ref<Liveness>('connecting')
  let events: EventSource | null = null
  let retry: ReturnType<typeof setTimeout> | undefined
  let doubt: ReturnType<typeof setTimeout> | undefined

  function connect() {
    events = new EventSource('/api/submissions/events')
    events.addEventListener('open', () => {
      clearTimeout(doubt)
      doubt = undefined
      liveness.value = 'live'
      changed(null)
    })
    events.addEventListener('changed', ({ data }: MessageEvent<string>) => changed(JSON.parse(data)))
    events.onerror = () => {
      doubt ??= setTimeout(() => liveness.value = 'lost', PATIENCE_MS)
      // The browser gives up after an HTTP error (a restarting proxy answers 502), so that case is ours.
      if (events?.readyState === EventSource.CLOSED) retry = setTimeout(connect, RECONNECT_MS)
    }
  }

  onMounted(connect)
  onBeforeUnmount(() => {
    clearTimeout(retry)
    clearTimeout(doubt)
    events?.close()
  })
  return liveness
}
