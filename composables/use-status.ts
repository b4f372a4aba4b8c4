const EVERY_MS = 2000

/** Longer than the server waits for a store that is silent, ms. */
const ANSWER_MS = 2500

/** Without an answer for so long, ms, what is shown may be wrong. */
const PATIENCE_MS = 4000

/** The status, asked again every few seconds while somebody looks. */
export function useStatus() {
  const report = shallowRef<StatusReport | null>(null)
  const problem = ref<string | null>(null)
  /** When the report came, epoch ms by this machine's clock. */
  const heardAt = ref(Date.now())
  const now = useNow()
  // By the clock, because timers sleep with the machine.
  const liveness = computed<Liveness>(() => problem.value || now.value - heardAt.value > PATIENCE_MS ? 'lost' : report.value ? 'live' : 'connecting')
  let timer: ReturnType<typeof setTimeout> | undefined
  let left = false

  async function refresh() {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') {
      await askOps<StatusReport>('/api/status', undefined, { timeout: ANSWER_MS }).then((found) => {
        report.value = found
        heardAt.value = Date.now()
        problem.value = null
      }, (error) => { problem.value = errorLine(error) })
    }
    clearTimeout(timer)
    if (!left) timer = setTimeout(refresh, EVERY_MS)
  }

  onMounted(() => {
    document.addEventListener('visibilitychange', refresh)
    void refresh()
  })
  onUnmounted(() => {
    left = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', refresh)
  })

  return { report, problem, liveness, heardAt, refresh }
}
